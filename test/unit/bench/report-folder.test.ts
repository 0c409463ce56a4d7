import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { foldersOf, makeFolders } from '../../bench/rivals/report-folder.ts';
import { UsageError } from '../../bench/usage-error.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'holdfast-report-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the folders of reports', () => {
  it('are one for each database where there are two', () => {
    expect(foldersOf({ database: 'both', out: '/out' })).toEqual(['/out/dynalite', '/out/dynamodb-local']);
    expect(foldersOf({ database: 'dynalite', out: '/out' })).toEqual(['/out']);
    expect(foldersOf({ database: 'both' })).toEqual([]);
  });

  it('are made with those above them, and nothing is left in them', async () => {
    const deep = join(folder, 'some', 'where');
    await makeFolders([deep]);
    expect(await readdir(deep)).toEqual([]);
  });

  it('may be there already', async () => {
    await writeFile(join(folder, 'table.md'), 'of an earlier run');
    await makeFolders([folder]);
    expect(await readdir(folder)).toEqual(['table.md']);
  });

  it.each([
    ['a file', 'file', 'EEXIST'],
    ['below a file', 'file/below', 'ENOTDIR'],
  ])('are refused where one is %s', async (_, path, code) => {
    await writeFile(join(folder, 'file'), '');
    const refused = makeFolders([join(folder, 'other'), join(folder, path)]);
    await expect(refused).rejects.toThrow(UsageError);
    await expect(refused).rejects.toThrow(`got ${join(folder, path)} (${code})`);
  });

  it('are refused where nothing can be written', async () => {
    // Whoever the tests run as: nobody makes folders among the processes.
    await expect(makeFolders(['/proc'])).rejects.toThrow('got /proc (');
  });
});
