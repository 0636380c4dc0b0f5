{
  description = "Sticky context for any model CLI, trimmed to an exact token budget";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "x86_64-darwin"
        "aarch64-darwin"
      ];
      manifest = builtins.fromTOML (builtins.readFile ./Cargo.toml);
      package =
        pkgs:
        pkgs.rustPlatform.buildRustPackage {
          pname = "ctx";
          version = manifest.workspace.package.version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          buildType = "dist";
          cargoBuildFlags = [
            "--bin"
            "ctx"
          ];
          # The tests drive real shells, git and llm; CI runs all of them.
          doCheck = false;
          nativeBuildInputs = [ pkgs.installShellFiles ];
          postInstall = ''
            installManPage man/*.1
            installShellCompletion --cmd ctx \
              --bash completions/ctx.bash --fish completions/ctx.fish --zsh completions/_ctx
          '';
          meta = {
            description = manifest.package.description;
            license = [
              pkgs.lib.licenses.mit
              pkgs.lib.licenses.asl20
            ];
            mainProgram = "ctx";
          };
        };
    in
    {
      packages = nixpkgs.lib.genAttrs systems (system: {
        default = package nixpkgs.legacyPackages.${system};
      });
    };
}
