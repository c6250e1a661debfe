class Swop < Formula
  desc "Run OpenAI's Codex CLI under one of several accounts"
  homepage "@HOMEPAGE@"
  version "@VERSION@"
  license "MIT"

  on_macos do
    on_arm do
      url "@URL@/swop-@VERSION@-darwin-arm64.tar.gz"
      sha256 "@SHA256:darwin-arm64@"
    end
    on_intel do
      url "@URL@/swop-@VERSION@-darwin-amd64.tar.gz"
      sha256 "@SHA256:darwin-amd64@"
    end
  end
  on_linux do
    on_arm do
      url "@URL@/swop-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SHA256:linux-arm64@"
    end
    on_intel do
      url "@URL@/swop-@VERSION@-linux-amd64.tar.gz"
      sha256 "@SHA256:linux-amd64@"
    end
  end

  def install
    libexec.install "bin", "licenses"
    (bin/"codex-swop").write_exec_script libexec/"bin/codex-swop"
  end

  def caveats
    "To put swop's codex first on your PATH, run: codex-swop install"
  end

  test do
    assert_match "swop v#{version}", shell_output("#{bin}/codex-swop version")
  end
end
