import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { serveSettings, variableOf } from '../../../src/cli/commands/serve.ts';
import { exitCode } from '../../../src/cli/terminal/io.ts';
import { formats } from '../../../src/import/formats/recognise.ts';
import { sourceNames } from '../../../src/pull/options.ts';
import { formatNames } from '../../../src/render/output.ts';
import { asof, everyCommand, importedStore } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';
import { builtProgram, root } from '../../support/repository.ts';

const helpOf = async (words: string) => (await asof(['help', ...words.split(' ').filter(Boolean)])).out;

const sources = ['bin', 'src'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(root, folder, name), 'utf8')),
);

/** The environment variables that the sources read, found by each form of code that reads one. */
function variablesRead(): readonly string[] {
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
  const found = sources.flatMap((text) =>
    ways.flatMap((way) => [...text.matchAll(way)].map(([, name = '']) => name)),
  );
  const ofServices = (Object.keys(serveSettings) as (keyof typeof serveSettings)[]).map(variableOf);
  const ofSources = sourceNames.map((name) => `ASOF_${name.toUpperCase().replace('-', '_')}_URL`);
  // By these env-paths finds the user's folders.
  return [
    ...found,
    ...ofServices,
    ...ofSources,
    'XDG_DATA_HOME',
    'XDG_CONFIG_HOME',
    'LOCALAPPDATA',
    'APPDATA',
  ];
}

describe('asof help environment', () => {
  it('names every variable that asof reads, and those of its design, and no other', async () => {
    const text = await helpOf('environment');
    const read = [...new Set(variablesRead())];
    expect(read.length).toBeGreaterThan(15);
    // Proxies are listed in one case, and meant in both.
    expect(read.filter((name) => !new RegExp(`\\b${name}\\b`, 'i').test(text))).toEqual([]);
    const names = /\b[A-Z]{2,}(?:_[A-Z]+)+\b|\bHOME\b|\b[A-Z]*APPDATA\b|\bTERM\b/g;
    const named = [...text.matchAll(names)].map(([name]) => name);
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !read.includes(name))).toEqual([]);
    const designed =
      'ASOF_API_KEY ASOF_API_KEY_FILE ASOF_BASE_URL ASOF_CONFIG_DIR ASOF_FORMAT ASOF_STORE ASOF_TIMEOUT';
    for (const name of `${designed} FORCE_COLOR NO_COLOR`.split(' ')) expect(text).toContain(name);
  });

  it('misses none: there is no other way to read one', () => {
    const ways =
      /\benv\[(?!(?:name|variable)\])|process\.env(?!,|\)|\.|;)|\{[^}]*\}\s*=\s*(?:process|io)\.env/;
    expect(sources.filter((text) => ways.test(text))).toEqual([]);
  });
});

describe('the other topics of asof help', () => {
  it('explain the exit codes of the design, each once', async () => {
    const text = await helpOf('exit-codes');
    const codes = [...text.matchAll(/^ +(\d+) {2}.+$/gm)].map(([, code]) => Number(code));
    expect(codes).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 70, 130, 143]);
    expect(Object.values(exitCode).sort((a, b) => a - b)).toEqual(codes);
  });

  it('list every kind of file that import reads, and every output format', async () => {
    const listed = [...(await helpOf('formats')).matchAll(/^ {2}([a-z0-9-]+) {2,}\S/gm)];
    expect(listed.map(([, name]) => name)).toEqual([...formats.map(({ kind }) => kind), ...formatNames]);
  });

  it('explain every flag that sets an as-of date', async () => {
    const text = await helpOf('as-of');
    for (const flag of [
      '--as-of',
      '--known-before',
      '--known-at',
      '--first-release',
      '--as-of-each',
      'today',
    ])
      expect(text).toContain(flag);
  });
});

/** A line that help shows as an example, and whether it says that it needs something. */
type Example = { readonly line: string; readonly needs: boolean };

/** The examples of a help text: below `Examples:`, each is a comment and a line. */
function examplesIn(help: string): Example[] {
  const [, ...lines] = /\nExamples:\n([\s\S]*)$/.exec(help)?.[0].trimEnd().split('\n').slice(1) ?? [];
  return lines.flatMap((line, i) =>
    line.startsWith('  #')
      ? [{ line: lines[i + 1]?.slice(2) ?? '', needs: / \(needs .*\)$/.test(line) }]
      : [],
  );
}

/** The lines of the commands that a help text lists under its headings; its flags begin with a dash. */
function commandLinesIn(help: string): readonly string[] {
  if (!/^Usage: .*\[command\]$/m.test(help)) return [];
  const [lists = ''] = help.split(/\n(?:Topics|Examples):/);
  return lists.split('\n').filter((line) => /^ {2}[a-z]+/.test(line));
}

/** The commands that a help text lists. */
const commandsIn = (help: string) => commandLinesIn(help).map((line) => /[a-z]+/.exec(line)?.[0] ?? '');

const help = new Map<string, string>();
for (const name of commandsIn(await helpOf(''))) {
  help.set(name, await helpOf(name));
  for (const child of commandsIn(help.get(name) ?? ''))
    help.set(`${name} ${child}`, await helpOf(`${name} ${child}`));
}
const flagTopics = new Map<string, string>();
for (const topic of ['output', 'charts', 'connection']) flagTopics.set(topic, await helpOf(topic));
const all = [...help].map(([words, text]) => ({ words, text }));
const runnable = all.flatMap(({ words, text }) => {
  const lines = examplesIn(text).filter(({ needs }) => !needs);
  // A group shows what its commands show.
  return commandsIn(text).length > 0 ? [] : lines.map(({ line }) => ({ words, line }));
});

describe('asof help', () => {
  it('defines no command that is not named: it lists them by their names alone', async () => {
    const listed = commandLinesIn(await helpOf(''));
    expect(listed.length).toBeGreaterThan(15);
    for (const line of listed) expect(line).toMatch(/^ {2}[a-z]+(\|obs)? {2,}[A-Z]/);
  });

  it.each(all)(
    'on $words has two to five examples of it, and is the same in both ways of asking',
    async ({ words, text }) => {
      const lines = examplesIn(text).map(({ line }) => line);
      expect(lines.length).toBeGreaterThanOrEqual(2);
      expect(lines.length).toBeLessThanOrEqual(5);
      for (const line of lines) expect(line.replace(/\bobs\b/, 'observations')).toContain(`asof ${words}`);
      expect((await asof([...words.split(' '), '--help'])).out).toBe(text);
    },
  );

  it('fits a terminal of 80 cells, except for commands to copy, and loses no word', async () => {
    const topics = [
      'as-of',
      'charts',
      'connection',
      'environment',
      'exit-codes',
      'formats',
      'output',
      'units',
    ];
    const wordsOf = (text: string) => text.replace(/^ *#/gm, '').split(/\s+/);
    for (const words of [...topics, ...all.map((one) => one.words)]) {
      const line = ['help', ...words.split(' ')];
      const { out } = await asof(line, { stdoutIsTerminal: true, columns: 80 });
      const wide = out.split('\n').filter((text) => text.length > 80);
      expect(wide.filter((text) => !/^ {2}.*\basof \w/.test(text))).toEqual([]);
      expect(wordsOf(out)).toEqual(wordsOf(await helpOf(words)));
    }
  });

  it('on observations fits into 40 lines of 80 cells', async () => {
    const { out } = await asof(['help', 'obs'], { stdoutIsTerminal: true, columns: 80 });
    const lines = out.trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  });

  it('on a command has its own flags, and names the topics on those that it shares', () => {
    const shared = 'Shared flags: asof help output, asof help charts, asof help connection';
    for (const words of ['observations', 'panel', 'curve', 'spread'])
      expect(help.get(words)?.split('\n')).toContain(shared);
    expect(help.get('diff')).toContain('\nShared flags: asof help output, asof help connection\n');
    // An import has no service to ask, and no rows.
    expect(help.get('import')).not.toContain('Shared flags');
    expect(help.get('import')).toContain('--store <path>');
    expect(help.get('observations')).not.toMatch(/--(?:format|grey|retries)\b/);
  });

  it('explains every flag of a command, in its help or in a topic that this names', () => {
    for (const { words, flags } of everyCommand) {
      const text = help.get(words) ?? '';
      const topics = [...text.matchAll(/asof help (output|charts|connection)/g)];
      const known = [text, ...topics.map(([, topic = '']) => flagTopics.get(topic))].join('\n');
      const unknown = flags.filter(({ name }) => !new RegExp(`^ +(?:-\\w, )?--${name}\\b`, 'm').test(known));
      expect([words, unknown.map(({ name }) => name)]).toEqual([words, []]);
    }
  });

  it('is shown for a group without a command too', async () => {
    const { code, err } = await asof(['keys']);
    expect([code, examplesIn(err).length > 1]).toEqual([2, true]);
  });

  it('has in its examples only flags that it explains', () => {
    const unknown = all.flatMap(({ text }) =>
      examplesIn(text).flatMap(({ line }) =>
        [...line.matchAll(/\basof ((?:[a-z]+ ?)+)([^|>&]*)/g)].flatMap(([, words = '', flags = '']) => {
          const [first = '', second = ''] = words
            .trim()
            .replace(/^obs\b/, 'observations')
            .split(' ');
          const own = help.get(`${first} ${second}`) ?? help.get(first) ?? '';
          const topics = [...own.matchAll(/asof help (output|charts|connection)/g)];
          const known = [own, ...topics.map(([, topic = '']) => flagTopics.get(topic))].join('\n');
          return [...flags.matchAll(/(?<= |^)--?[a-z-]+/g)]
            .filter(([flag]) => !new RegExp(`^ +.*${flag}\\b`, 'm').test(known))
            .map(([flag]) => `${line}: ${flag}`);
        }),
      ),
    );
    expect(unknown).toEqual([]);
  });
});

describe('an example that needs nothing runs', () => {
  const folder = newFolder();
  const bin = folder.path('bin');
  mkdirSync(bin);
  folder.write('bin/asof', `#!/bin/sh\nexec '${process.execPath}' '${builtProgram}' "$@"\n`);
  chmodSync(join(bin, 'asof'), 0o755);
  let small = '';
  beforeAll(async () => {
    small = await importedStore(folder);
  });

  /** Commands whose examples write, set up or explain; those of every other one read data. */
  const notReading = /^(import|store|serve|keys|auth|config|completion|help)\b/;

  /** Runs a line as a new user would: in the home directory, with only the sample; in a shell where it needs one. */
  async function run(line: string, home: string) {
    // To read all of the sample several times takes long.
    const env = { HOME: home, ...(/ store (backup|check)/.test(line) && { ASOF_STORE: small }) };
    if (/^asof [\w\s./:=,-]+$/.test(line) && !/ -o | backup /.test(line)) {
      const { code, out, err } = await asof(line.split(' ').slice(1), { env });
      return { status: code, stdout: out, stderr: err };
    }
    return spawnSync('bash', ['-c', `set -o pipefail; ${line}`], {
      cwd: home,
      env: { PATH: `${bin}:${process.env.PATH}`, ...env },
      encoding: 'utf8',
    });
  }

  it.each(runnable.map((example, i) => ({ ...example, i })))('$line', async ({ words, line, i }) => {
    const home = folder.path(`home-${i}`);
    mkdirSync(home);
    const { status, stdout, stderr } = await run(line, home);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    if (notReading.test(words)) return;
    const [, file] = / (?:-o|>) ([~\w./-]*\.\w+)/.exec(line) ?? [];
    const shown = file === undefined ? stdout : readFileSync(join(home, file.replace('~/', '')), 'utf8');
    // A header alone would show nothing.
    const rows = shown
      .trim()
      .split('\n')
      .filter((row) => row !== '' && row !== '0');
    expect(rows.length).toBeGreaterThanOrEqual(line.includes('|') && file === undefined ? 1 : 2);
  });

  it('and there are many', () => {
    expect(runnable.length).toBeGreaterThan(30);
  });
});
