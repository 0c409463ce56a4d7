import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { files } from '../../package.json';

const root = join(__dirname, '../..');
// The package has these whatever it lists.
const packaged = ['README.md', 'LICENSE', 'package.json', ...files];
const isPackaged = (path: string) => packaged.some((each) => path === each || path.startsWith(`${each}/`));
// What the build makes has no links of ours.
const documents = packaged.filter((file) => /\.(md|txt)$/.test(file) && !file.startsWith('dist/'));

it.each(documents)('%s links to documents that its reader has, in the package or in the repository', (document) => {
  const text = readFileSync(join(root, document), 'utf8').replace(/^```.*?^```$/gms, '');
  const links = [...text.matchAll(/\]\(([^)#:\s]+)(#[^)]*)?\)/g)].map(([, link = '']) =>
    normalize(join(dirname(document), link)),
  );
  // The README names the folders of the repository.
  const folders = ['sdk', 'lambda', 'infra', 'test'];
  const missing = links.filter(
    (link) => !existsSync(join(root, link)) || !(isPackaged(link) || folders.includes(link)),
  );
  expect(missing).toEqual([]);
});

it.each(documents)(
  '%s has npx run the command that is installed, and nothing that a registry has under its name',
  (document) => {
    const text = readFileSync(join(root, document), 'utf8');
    const calls = [...text.matchAll(/\bnpx(?: +-\S+)* +holdfast\b/g)].map(([call]) => call);
    expect(calls.filter((call) => call !== 'npx --no holdfast')).toEqual([]);
  },
);
