import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { serveSettings, variableOf } from '../../../src/cli/commands/serve.ts';
import { exitCode } from '../../../src/cli/terminal/io.ts';
import { formats } from '../../../src/import/formats/recognise.ts';
import { formatNames } from '../../../src/render/output.ts';
import { asof } from '../../support/command.ts';
import { root } from '../../support/repository.ts';

/** The variables that the design of the command line names. */
const designedVariables = [
  'ASOF_API_KEY',
  'ASOF_API_KEY_FILE',
  'ASOF_BASE_URL',
  'ASOF_CONFIG_DIR',
  'ASOF_FORMAT',
  'ASOF_STORE',
  'ASOF_TIMEOUT',
  'FORCE_COLOR',
  'NO_COLOR',
];

/** The exit codes that the design of the command line has. */
const designedCodes = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 70, 130, 143];

const sources = ['bin', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8')),
);

const topic = async (name: string) => (await asof(['help', name])).out;

/** The environment variables by which env-paths finds the user's folders. */
const readByEnvPaths = ['XDG_DATA_HOME', 'XDG_CONFIG_HOME', 'LOCALAPPDATA', 'APPDATA'];

/** The environment variables that the sources read, found by each form of code that reads one. */
function variablesRead(): string[] {
  const ways = [
    /variable\(\s*(?:this\.)?io,\s*'(\w+)'/g,
    /\benv\.([A-Za-z_]\w*)/g,
    /\benv\[['"](\w+)['"]\]/g,
    // The proxies, which are listed by name.
    /'((?:https?|no)_proxy|(?:HTTPS?|NO)_PROXY)'/g,
    /'(ASOF_\w+)'/g,
    // The keys of services and live sources.
    /'(\w+_API_KEY)'/g,
    // What the address of a database leaves open.
    /'(PG[A-Z]+)'/g,
  ];
  return [
    ...new Set([
      ...sources.flatMap((text) =>
        ways.flatMap((way) => [...text.matchAll(way)].map(([, name = '']) => name)),
      ),
      ...(Object.keys(serveSettings) as (keyof typeof serveSettings)[]).map(variableOf),
      ...readByEnvPaths,
    ]),
  ];
}

describe('asof help environment', () => {
  it('names every variable that asof reads', async () => {
    const text = await topic('environment');
    const read = variablesRead();
    expect(read.length).toBeGreaterThan(15);
    // Proxies are listed in one case, and meant in both.
    expect(read.filter((name) => !new RegExp(`\\b${name}\\b`, 'i').test(text))).toEqual([]);
  });

  it('names none that asof does not read', async () => {
    const named = [
      ...(await topic('environment')).matchAll(
        /\b[A-Z]{2,}(?:_[A-Z]+)+\b|\bHOME\b|\b[A-Z]*APPDATA\b|\bTERM\b/g,
      ),
    ];
    expect(named.length).toBeGreaterThan(15);
    expect(named.map(([name]) => name).filter((name) => !variablesRead().includes(name))).toEqual([]);
  });

  it('there is no other way to read one', () => {
    const ways =
      /\benv\[(?!(?:name|variable)\])|process\.env(?!,|\)|\.|;)|\{[^}]*\}\s*=\s*(?:process|io)\.env/;
    expect(sources.filter((text) => ways.test(text))).toEqual([]);
  });

  it('names every variable of the design', async () => {
    const text = await topic('environment');
    expect(designedVariables.filter((name) => !text.includes(name))).toEqual([]);
  });
});

/** The number at the start of each line of the topic, and the text after it. */
async function codesSaid(): Promise<Map<number, string>> {
  const lines = [...(await topic('exit-codes')).matchAll(/^ +(\d+) {2}(.+)$/gm)];
  return new Map(lines.map(([, code, meaning = '']) => [Number(code), meaning]));
}

describe('asof help exit-codes', () => {
  it('explains every code, each once', async () => {
    const codes = Object.values(exitCode).sort((a, b) => a - b);
    expect([...(await codesSaid()).keys()]).toEqual(codes);
  });

  it('explains the codes of the design and no other', async () => {
    expect([...(await codesSaid()).keys()].sort((a, b) => a - b)).toEqual(designedCodes);
  });
});

describe('asof help formats', () => {
  it('lists every kind of file that import reads, and every output format', async () => {
    const text = await topic('formats');
    const listed = [...text.matchAll(/^ {2}([a-z0-9-]+) {2,}\S/gm)].map(([, name]) => name);
    expect(listed).toEqual([...formats.map(({ kind }) => kind), ...formatNames]);
  });
});

describe('asof help as-of', () => {
  it('explains every flag that sets an as-of date', async () => {
    const text = await topic('as-of');
    for (const flag of ['--as-of', '--known-before', '--first-release', '--as-of-each', 'today'])
      expect(text).toContain(flag);
  });

  it('no line of it, or of what scripts rely on, is longer than a terminal', async () => {
    for (const name of ['as-of', 'environment', 'exit-codes'])
      expect((await topic(name)).split('\n').filter((line) => line.length > 100)).toEqual([]);
  });
});
