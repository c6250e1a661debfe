package realcodex

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
)

// Windows returns the directory that holds the native codex.exe of version for x86-64, below cache. What is missing is fetched with npm,
// once.
func Windows(ctx context.Context, cache, version string) (string, error) {
	root := filepath.Join(cache, "codex-"+version+"-win32-x64")
	return root, once(root, func() error { return fetchWindows(ctx, root, version) })
}

func fetchWindows(ctx context.Context, root, version string) error {
	partial := root + ".partial" // ours alone: the lock is held
	if err := errors.Join(os.RemoveAll(partial), os.Mkdir(partial, 0o755)); err != nil {
		return err
	}
	npm := exec.CommandContext(ctx, "npm", "pack", "--silent", "--pack-destination", partial, "@openai/codex@"+version+"-win32-x64")
	npm.Dir = partial // no other project's .npmrc
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm pack %s: %w\n%s", version, err, out)
	}
	packed, err := filepath.Glob(filepath.Join(partial, "*.tgz"))
	if err != nil || len(packed) != 1 {
		return fmt.Errorf("npm packed %q: %v", packed, err)
	}
	if err := errors.Join(unpackProgram(packed[0], partial), os.Remove(packed[0])); err != nil {
		return err
	}
	return os.Rename(partial, root)
}

// unpackProgram unpacks the codex.exe of a package into dir.
func unpackProgram(packed, dir string) error {
	f, err := os.Open(packed)
	if err != nil {
		return err
	}
	defer f.Close()
	plain, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	archive := tar.NewReader(plain)
	for {
		header, err := archive.Next()
		if err != nil {
			return fmt.Errorf("%s: codex.exe: %w", packed, err)
		}
		if path.Base(header.Name) != "codex.exe" {
			continue
		}
		program, err := os.OpenFile(filepath.Join(dir, "codex.exe"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o755)
		if err != nil {
			return err
		}
		_, err = io.Copy(program, archive)
		return errors.Join(err, program.Close())
	}
}
