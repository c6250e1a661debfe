# shellcheck shell=bash
# AppArmor 4 where it lets only programs with a profile make user namespaces, as Ubuntu does. Debian's kernel mediates namespaces, but has not Ubuntu's rule for
# programs without a profile: here the user's have one that allows all else.
# shellcheck source-path=SCRIPTDIR source=common.sh
. /opt/common.sh
mount -t securityfs securityfs /sys/kernel/security
all='file rwlkm /{**,}, network, unix, ptrace, signal, mqueue, io_uring, mount, umount, pivot_root, dbus, change_profile,'
echo "abi <abi/4.0>, profile restricted flags=(attach_disconnected,mediate_deleted) { $all capability, pix /**, }" | apparmor_parser -r
as_restricted() { aa-exec -p restricted -- setpriv --reuid me --regid me --init-groups env HOME=/home/me USER=me "$@"; }
sudo() { "$@"; }
export SWOP_ACCOUNT=work
as_me /home/me mkdir /home/me/work
cd /home/me/work || exit
as_me /home/me codex swop add work --no-login --confine workspace-write 2>/dev/null

# The name of Ubuntu's rule. It hides the kernel's own files, so that another /proc has to be seen somewhere before one can be mounted in a namespace.
mkdir /run/kernel /run/proc
cp -r /proc/sys/kernel/. /run/kernel/ 2>/dev/null # some can only be written
echo 1 >/run/kernel/apparmor_restrict_unprivileged_userns
mount -t proc proc /run/proc
mount --bind /run/kernel /proc/sys/kernel
ok "nothing runs without the profile" exits 125 as_restricted codex true
ok "the rule is named" says 'apparmor_restrict_unprivileged_userns is 1' as_restricted codex swop confine
command=$(as_restricted codex swop confine | sed -n 's/^root allows it by: //p')

# confined NAME: sessions start, and what runs in them has codex-swop's profile.
confined() {
  ok "a trial: $1" says '"unavailable": ""' as_restricted codex swop confine --json
  ok "a session: $1" says 'codex-swop (unconfined)' as_restricted codex cat /proc/self/attr/current
}
ok "the command that was printed" eval "$command"
confined "by the command"
apparmor_parser -R /etc/apparmor.d/codex-swop
rm /etc/apparmor.d/codex-swop
ok "nothing runs once it is removed" exits 125 as_restricted codex true

# What the package does, with Ubuntu's rule for changes of profiles.
umount /proc/sys/kernel
echo 1 >/proc/sys/kernel/apparmor_restrict_unprivileged_unconfined
mkdir -p /usr/lib/swop
cp -r /opt/bin /usr/lib/swop/
cp /opt/packaging/apparmor /usr/lib/swop/
PATH=/usr/lib/swop/bin:${PATH#/opt/bin:}
ok "the package's script" sh /opt/packaging/postinstall
confined "by the package"

ok "the package's script for its removal" sh /opt/packaging/preremove remove
ok "the profile is gone" test ! -e /etc/apparmor.d/codex-swop
finish
