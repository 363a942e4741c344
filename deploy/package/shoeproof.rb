# Formula for Homebrew: HOMEBREW_DEVELOPER=1 brew install --HEAD ./deploy/package/shoeproof.rb
class Shoeproof < Formula
  desc "Audit of baccarat tables against the rules that govern them"
  homepage "https://github.com/shoeproof/shoeproof"
  license "Apache-2.0"
  head "https://github.com/shoeproof/shoeproof.git", branch: "main"

  depends_on "go" => :build

  def install
    %w[audit ingest].each do |program|
      system "go", "build", *std_go_args(ldflags: "-X main.version=#{version}", output: bin/program), "./cmd/#{program}"
      generate_completions_from_executable(bin/program, "completion")
      system bin/program, "man", man1
    end
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/audit --version")
    system bin/"audit", "simulate", "--fixture", "S-PB", "-o", "shoe.ndjson"
    assert_match "it keeps the contract", shell_output("#{bin}/audit conform shoe.ndjson")
  end
end
