import { execFile } from 'node:child_process';
import { cp, readFile, realpath, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { TemporaryFolder } from '../support/temporary-folder.ts';

const run = promisify(execFile);

/** A copy of the project in a folder of its own: whatever is changed in it, the working tree stays as it is. */
export class Tree {
  readonly #temporary: TemporaryFolder;

  private constructor(
    temporary: TemporaryFolder,
    readonly folder: string,
  ) {
    this.#temporary = temporary;
  }

  /** Copies what git knows of, and what is new and not ignored, as it is in the working tree now. */
  static async copyOf(root: string): Promise<Tree> {
    const temporary = new TemporaryFolder('holdfast-mutants-');
    // Without symbolic links on the way: paths are compared.
    const folder = await realpath(temporary.path);
    const tree = new Tree(temporary, folder);
    const { stdout } = await run(
      'git',
      ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
      {
        cwd: root,
        maxBuffer: 16 * 1024 * 1024,
      },
    );
    const files = stdout.split('\0').filter((file) => file !== '' && file !== 'node_modules');
    for (const file of files) {
      // One that was deleted and not committed yet is listed all the same.
      await cp(join(root, file), join(folder, file)).catch(ignoreMissing);
    }
    await symlink(await realpath(join(root, 'node_modules')), join(folder, 'node_modules'));
    return tree;
  }

  read(file: string): Promise<string> {
    return readFile(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): Promise<void> {
    return writeFile(join(this.folder, file), text);
  }

  remove(): void {
    this.#temporary.remove();
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}
