import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { type IPty, spawn } from 'node-pty';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bashLine, bashText, type Quote } from '../../../src/cli/completion/scripts.ts';
import { lineOf } from '../../../src/errors/wording.ts';
import { runs } from '../../support/arbitrary.ts';
import { asof, statements } from '../../support/command.ts';
import { newFolder, scratchFolder } from '../../support/folders.ts';
import { builtProgram } from '../../support/repository.ts';
import { envelope, reply } from '../../support/service-double.ts';

const folder = newFolder();
const store = folder.path('store.db');
const ecb = 'ECB:RTD.Q.S0.S.G_GDPM_TO_C.E';
const ids = [
  ...['GDP', 'GDPC1', 'UNRATE', 'A&B (C):D', 'A&B (C):EFG', 'S P:500', 'NOPE%'],
  ...[ecb, 'ECB:RTD.M.S0.S.L_UNETO.F', 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T'],
];

/** Ids that no store of asof accepts, but that a service may send. */
const hostile = [
  'X1$(touch PWNED)',
  'X2`touch PWNED`',
  "X4';touch PWNED;'",
  'X5";touch PWNED;"',
  'X6 !! | touch PWNED',
  'X7\\$(touch PWNED)',
  'X8*?[a]{b,c}~',
  'X9 "a" \'b\' #c',
];

/** A service with a hostile list of series. */
const service = createServer((request, response) => {
  const q = new URL(request.url ?? '', 'http://service').searchParams.get('q') ?? '';
  const found = [...hostile, 'X\u001B[31mRED', 'X\nLINE', 'X\tTAB'].filter((id) =>
    id.startsWith(q.toUpperCase()),
  );
  const described = { units: '', observation_count: 1, source: '', frequency: 'M' };
  const series = found.map((id) => ({
    ...{ id, title: `${id} \u001B]0;owned\u0007`, last_updated: '2020-01-01T00:00:00Z' },
    ...described,
  }));
  reply(response, 200, envelope('series_list', series));
});

beforeAll(async () => {
  const facts = folder.write('facts.csv', statements(ids.map((id) => `${id},2020-01-01,2020-02-01,1`)));
  expect((await asof(['import', facts, '--store', store])).code).toBe(0);
  expect((await asof(['series', 'alias', 'EA.GDP', ecb, '--store', store])).code).toBe(0);
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  service.close();
});

/** The words of each line, as bash itself splits it. */
function byBash(lines: readonly string[]): string[][] {
  const script = lines.map((line) => `printf '%s\\0' ${line}; printf '\\n\\0'`).join('\n');
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  if (stderr !== '') throw new Error(stderr);
  return stdout
    .split('\n\0')
    .slice(0, -1)
    .map((words) => words.split('\0').slice(0, -1));
}

describe('a line of bash', () => {
  const text = fc.string({
    unit: fc.constantFrom(...'aB9 $`"\'\\!*?[]{}()<>|&;~#:=.%+-_é€\t'),
    minLength: 1,
  });
  const word = fc.tuple(text, fc.constantFrom<Quote>('', '"', "'"));

  /** The line after readline has inserted a text behind an open quote, which it closes unless the text ends with it. */
  function completed([text, quote]: readonly [text: string, quote: Quote]): string {
    const typed = bashText(text, quote);
    return `${quote}${typed}${typed.endsWith(quote) ? '' : quote}`;
  }

  it('that is written after any quote has the text as its one word, and is split as bash splits it', () => {
    const lines = fc.array(fc.array(word, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lines, (all) => {
        const typed = all.map((words) => words.map(completed).join(' '));
        const split = byBash(typed);
        expect(split).toEqual(all.map((words) => words.map(([value]) => value)));
        expect(typed.map((line) => bashLine(`asof ${line} `).words)).toEqual(split);
      }),
      { numRuns: runs(20) },
    );
  });

  it('that a manifest records has the words of the command, so that it can be pasted', () => {
    const awkward = ["it's", 'a b', '*', '$HOME', '`x`', '!', '\\', '"', '~', '#a', '-x=1', ''];
    const some = fc.sample(fc.string({ unit: 'grapheme-ascii' }), { numRuns: 60, seed: 6 });
    const all = [...awkward, ...some].map((one) => [one, 'b']);
    expect(byBash(all.map(lineOf))).toEqual(all);
  });
});

it.each(['set -eu -o noclobber', 'shopt -s nullglob failglob; IFS=o', 'set -f -o posix'])(
  'the script for bash works twice under %s',
  (before) => {
    folder.write('asof', `#!/bin/sh\nexec '${process.execPath}' '${builtProgram}' "$@"\n`);
    chmodSync(folder.path('asof'), 0o755);
    // As bash calls the function at TAB, which leaves in COMPREPLY what it found.
    const script = `${before}
source <(asof completion bash); source <(asof completion bash)
COMP_LINE='asof obs unr' COMP_POINT=12 COMP_CWORD=2 COMP_WORDS=(asof obs unr)
_asof asof unr ''
printf '%s\\n' "\${COMPREPLY[@]}"`;
    const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], {
      env: { PATH: `${folder.path('.')}:${process.env.PATH}`, HOME: folder.path('home'), ASOF_STORE: store },
      encoding: 'utf8',
    });
    expect([stdout, stderr]).toEqual(['UNRATE\n', '']);
  },
);

it('the completion process ends with its answer, even if it still waits for something', () => {
  // Like the lookup of a host name, which cannot be cancelled.
  const waiting = folder.write('waiting.cjs', 'setInterval(() => undefined, 1000);');
  const line = ['-r', waiting, builtProgram, 'completion', 'fish', '--', 'obs', 'un'];
  const { stdout, status } = spawnSync(process.execPath, line, {
    env: { ASOF_STORE: store, HOME: folder.path('home') },
    encoding: 'utf8',
    timeout: 10_000,
    killSignal: 'SIGKILL',
  });
  expect({ stdout, status }).toEqual({ stdout: 'words\t\nUNRATE\t\n', status: 0 });
});

/** How a shell starts without the user's settings, and how it loads the completion script. */
const shells = {
  bash: { argv: ['--noprofile', '--norc', '-i'], setUp: `PS1='@''>'; source <(asof completion bash)` },
  zsh: { argv: ['-f', '-i'], setUp: `PS1='@''>'; source <(asof completion zsh)` },
  fish: {
    argv: ['--no-config', '-i'],
    setUp: `function fish_prompt; echo -n '@''>'; end; asof completion fish | source`,
  },
} as const;

type ShellName = keyof typeof shells;

const patience = 10_000;

/**
 * A person at the prompt of a shell on a terminal, in a new folder that holds `files`; `asof` answers TAB, and
 * otherwise records its words.
 */
async function promptOf(
  name: ShellName,
  env: Readonly<Record<string, string>>,
  files: readonly string[] = [],
) {
  if (spawnSync(name, ['--version']).error !== undefined)
    throw new Error(`${name} is missing: install it, or leave it out of ASOF_SHELLS`);
  const root = scratchFolder();
  const [bin, home, work] = [join(root, 'bin'), join(root, 'home'), join(root, 'work')];
  for (const path of [bin, home, work]) mkdirSync(path);
  for (const file of files) writeFileSync(join(work, file), '');
  const written = join(root, 'words');
  const asof = join(bin, 'asof');
  const quoted = [process.execPath, builtProgram, `${written}.part`, written].map((path) =>
    JSON.stringify(path),
  );
  writeFileSync(
    asof,
    `#!/bin/sh
if [ "$1" = completion ]; then exec ${quoted[0]} ${quoted[1]} "$@"; fi
printf '%s\\n' "$@" > ${quoted[2]}
mv ${quoted[2]} ${quoted[3]}
echo called
`,
  );
  chmodSync(asof, 0o755);
  const { argv, setUp } = shells[name];
  const path = `${bin}:${process.env.PATH ?? ''}`;
  const terminal: IPty = spawn(name, [...argv], {
    cols: 200,
    rows: 50,
    cwd: work,
    env: { PATH: path, HOME: home, TERM: 'xterm', LANG: 'C.UTF-8', ...env },
  });
  let screen = '';
  terminal.onData((text) => {
    screen += text;
  });
  const until = async (what: string, holds: () => boolean) => {
    const end = Date.now() + patience;
    while (!holds()) {
      if (Date.now() > end) {
        terminal.write('\u0003');
        throw new Error(`${name} did not ${what}; its terminal shows ${JSON.stringify(screen.slice(-300))}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const calledWith = async (keys: string) => {
    screen = '';
    terminal.write(keys);
    await until('call asof', () => existsSync(written));
    const words = readFileSync(written, 'utf8').split('\n').slice(0, -1);
    rmSync(written);
    // The terminal would edit what is typed before the shell reads again.
    await until('show its prompt', () => /called.*@>/s.test(screen));
    return words;
  };
  await calledWith(`${setUp} && asof ready\r`);
  return {
    /** Types a line, presses TAB and Enter, and gives the words that the command was then called with. */
    complete: (typed: string) => calledWith(`${typed}\t\r`),
    /** Types a line, presses TAB twice, and gives what the terminal shows of it. */
    async shown(typed: string) {
      await calledWith(`${typed}\t\t\u0015asof done\r`);
      return screen;
    },
    /** Whether a file is in the folder in which the shell works. */
    has: (file: string) => existsSync(join(work, file)),
    close: () => terminal.kill(),
  };
}

type Prompt = Awaited<ReturnType<typeof promptOf>>;

/**
 * The shells that these tests start: bash, and those that ASOF_SHELLS names, such as `zsh,fish`. A unit test checks the
 * texts of the scripts for the others.
 */
const tested = (Object.keys(shells) as ShellName[]).filter(
  (name) => name === 'bash' || (process.env.ASOF_SHELLS ?? '').split(/[ ,]+/).includes(name),
);

describe.each(tested)('TAB in %s, on a terminal, without settings or packages of completions,', (name) => {
  let prompt: Prompt;
  beforeAll(async () => {
    prompt = await promptOf(name, { ASOF_STORE: store }, ['a file.csv', 'report.csv', 'ZZfile', 'xfile']);
  });
  afterAll(() => prompt.close());

  it.each<readonly [typed: string, words: readonly string[]]>([
    ['asof rev', ['revisions']],
    ['asof obs gdpc', ['obs', 'GDPC1']],
    ['asof obs GDP --format=nd', ['obs', 'GDP', '--format=ndjson']],
    ['asof obs GDP -fnd', ['obs', 'GDP', '-fndjson']],
    ['asof obs s', ['obs', 'S P:500']],
    ['asof obs "s p:5', ['obs', 'S P:500']],
    ["asof obs 'S P", ['obs', 'S P:500']],
    ['asof obs S\\ P:5', ['obs', 'S P:500']],
    // fish never changes the case of a word with parentheses.
    ['asof obs A\\&B\\ \\(C\\):E', ['obs', 'A&B (C):EFG']],
    ['asof obs "A&B (C):E', ['obs', 'A&B (C):EFG']],
    ['asof obs ECB:RTD.Q', ['obs', ecb]],
    ['asof panel GDP "ECB:RTD.Q.S0.', ['panel', 'GDP', ecb]],
    ["asof diff 'ECB:RTD.Q", ['diff', ecb]],
    ['asof obs OECD:', ['obs', 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T']],
    ['asof obs EA.', ['obs', 'EA.GDP']],
    ['asof series alias --rm EA', ['series', 'alias', '--rm', 'EA.GDP']],
    ['asof series alias X OEC', ['series', 'alias', 'X', 'OECD:STES_REV.EA20.Q.B1GQ_Q.XDC._T']],
    ['asof import a\\ f', ['import', 'a file.csv']],
    ['asof obs GDP --output=rep', ['obs', 'GDP', '--output=report.csv']],
    // A word that asof cannot complete stays as it was typed.
    ['asof obs GDP --owner x', ['obs', 'GDP', '--owner', 'x']],
    ['asof obs ZZ', ['obs', 'ZZ']],
  ])('completes %s', async (typed, words) => {
    expect(await prompt.complete(typed)).toEqual(words);
  });

  it('lists the choices, and completes as far as they agree', async () => {
    const list = await prompt.shown('asof obs GDP --format ');
    for (const format of ['table', 'csv', 'tsv', 'json', 'ndjson']) expect(list).toContain(format);
    expect(await prompt.complete('asof obs gd')).toEqual(['obs', 'GDP']);
    expect(await prompt.complete('asof obs EC')).toEqual(['obs', 'ECB:RTD.']);
  });

  it('completes an id with a colon that is typed in lower case', async () => {
    const [command, id = ''] = await prompt.complete('asof obs ecb:rtd.q');
    expect([command, id.toUpperCase()]).toEqual(['obs', ecb]);
  });

  it('does not run what is being typed', async () => {
    await prompt.shown('asof obs "$(touch PWNED)" $(touch PWNED) `touch PWNED` GDP');
    expect(prompt.has('PWNED')).toBe(false);
  });
});

describe.each(tested)('TAB in %s, over a hostile service,', (name) => {
  let prompt: Prompt;
  beforeAll(async () => {
    const { port } = service.address() as AddressInfo;
    prompt = await promptOf(name, { ASOF_BASE_URL: `http://127.0.0.1:${port}` });
  });
  afterAll(() => prompt.close());

  it.each(hostile.map((id, i) => [['', '"', "'"][i % 3] ?? '', id] as const))(
    'makes one word after %j of the id %s, and runs nothing',
    async (quote, id) => {
      expect(await prompt.complete(`asof obs ${quote}${id.slice(0, 2)}`)).toEqual(['obs', id]);
      expect(prompt.has('PWNED')).toBe(false);
    },
  );

  it('lets no id or title steer the terminal', async () => {
    const list = await prompt.shown('asof obs X');
    expect(list).toContain('X1');
    for (const foul of ['RED', 'LINE', 'TAB', '\u001B]0;owned']) expect(list).not.toContain(foul);
  });
});
