# shellcheck shell=bash
# Sourced by what runs in the machine. A check that fails is printed and counted, and finish gives the script's status.
export PATH=/opt/bin:/opt/fake:$PATH LANG=C.UTF-8 GIT_CONFIG_NOSYSTEM=1
failed=0 passed=0

# as_me HOME COMMAND…: run as the ordinary user, with that home.
as_me() {
  local home=$1
  shift
  setpriv --reuid me --regid me --init-groups env HOME="$home" USER=me "$@"
}

# ok WHAT COMMAND…: count whether the command succeeds.
ok() {
  local what=$1 out
  shift
  if out=$("$@" 2>&1); then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    printf 'FAILED: %s\n%s\n' "$what" "$out"
  fi
}

# says TEXT COMMAND…: whether the command prints a text.
says() {
  local text=$1 out
  shift
  out=$("$@" 2>&1) || true
  [[ $out == *"$text"* ]] || { printf 'want %q in:\n%s\n' "$text" "$out"; return 1; }
}

# exits STATUS COMMAND…: whether the command ends with this status.
exits() {
  local want=$1 got=0
  shift
  "$@" || got=$?
  [ "$got" = "$want" ] || { echo "status $got, want $want"; return 1; }
}

# silent COMMAND…: whether the command succeeds and prints nothing.
silent() {
  local out
  if ! out=$("$@" 2>&1) || [ -n "$out" ]; then
    printf 'want nothing, have:\n%s\n' "$out"
    return 1
  fi
}

finish() {
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ] && [ "$passed" -gt 0 ]
}

# serve_nfs ADDRESS…: export /export to these addresses.
serve_nfs() {
  local address
  modprobe nfsd
  sysctl -qw fs.nfs.nlm_grace_period=1 # as below, of version 3
  mount -t nfsd nfsd /proc/fs/nfsd
  mkdir -p /export/me /run/rpcbind /run/sendsigs.omit.d /var/lib/nfs/v4recovery
  chown me:me /export/me
  for address; do
    echo "/export $address(rw,async,no_subtree_check,fsid=0,insecure)" # root is nobody there; the server does not fail
  done >/etc/exports
  rpcbind
  until rpcinfo >/dev/null 2>&1; do sleep 0.1; done
  rpc.statd || true
  exportfs -ra
  rpc.nfsd 4
  echo Y >/proc/fs/nfsd/v4_end_grace # no client has locks from before: none need 90 seconds to claim them
  rpc.mountd
}

# A program of the user that makes an account with a made-up login.
# shellcheck disable=SC2016,SC2034 # it expands there; the scripts use it
make_account='umask 077; cd; printf "{\"OPENAI_API_KEY\":\"sk-%s-0123456789\"}" "$1" >login.json; codex swop add "$1" --import ~/login.json'
