import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import openApi from '../../sdk/wire/openapi.json';
import { publicApiOf } from '../support/api/public-api-of.ts';

const root = join(__dirname, '../..');
const text = readFileSync(join(root, 'llms.txt'), 'utf8');
const prose = text.replace(/^```.*?^```$/gms, '');

describe('llms.txt', () => {
  it('has the form that readers expect: a title, a summary, lists of links with a note each', () => {
    expect(text).toMatch(/^# Holdfast\n\n> .+\n/);
    const sections = text.split(/^## /m).slice(1);
    expect(sections.map((section) => section.split('\n')[0])).toEqual(['Docs', 'Optional']);
    const lines = sections.flatMap((section) => section.split('\n').slice(1)).filter((line) => line !== '');
    expect(lines.filter((line) => !/^- \[[^\]]+\]\([^)]+\): .+$/.test(line))).toEqual([]);
  });

  it('links to files that are there', () => {
    const links = [...prose.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    expect(links).toEqual(expect.arrayContaining(['README.md', 'sdk/README.md', 'sdk/API.md', 'infra/README.md']));
    expect(links.filter((link) => !existsSync(join(root, link)))).toEqual([]);
  });

  it('names only what is exported, or is in the HTTPS API', () => {
    const { entries } = publicApiOf(root);
    const symbols = entries.flatMap((entry) => entry.symbols);
    const members = symbols.flatMap((symbol) => symbol.members.map(({ name }) => name));
    const fields = JSON.stringify(openApi).matchAll(/"(\w+)":/g);
    const known = new Set([
      ...entries.map(({ name }) => name),
      ...symbols.map(({ name }) => name),
      ...members,
      ...[...fields].map(([, name]) => name),
    ]);
    const spans = [...prose.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    expect(spans.length).toBeGreaterThan(40);
    // The name before the brackets or the colon, or the last of a chain: `createLock(id)`, `locks.dispose()`, `waitMs: 0`.
    const names = spans.map((code) => code.match(/^(?:if \(|await )?(?:\w+\.)?([\w/]+)(?=\(|:|$)/)?.[1] ?? code);
    const words = ['await', 'finally', 'try', 'Ms', 'java.util.concurrent.locks.Lock'];
    expect(names.filter((name) => !known.has(name) && !words.includes(name))).toEqual([]);
  });
});
