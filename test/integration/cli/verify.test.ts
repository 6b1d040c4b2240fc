import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { manifestText } from '../../../src/snapshot/manifest.ts';
import { asof, importedStore, linesOf, statements } from '../../support/command.ts';
import { newFolder, scratchFolder } from '../../support/folders.ts';

let folder = '';
let out = '';
beforeEach(() => {
  folder = scratchFolder();
  out = join(folder, 'snap');
});

const file = (name: string) => join(out, name);
const read = (name: string) => readFileSync(file(name), 'utf8');
const rewrite = (name: string, change: (text: string) => string) =>
  writeFileSync(file(name), change(read(name)));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const snapshot = (lines: readonly string[], ...flags: readonly string[]) => {
  const plan = write('plan.txt', lines.join('\n'));
  return asof(['snapshot', plan, '--out', out, '--as-of', '2015-02-01', ...flags]);
};
const verify = (...flags: readonly string[]) => asof(['verify', out, ...flags]);
const success = { code: 0, out: '', err: '' };

/** A link to the same content in the place of a file. */
function link(name: string): void {
  const elsewhere = write('elsewhere', read(name));
  unlinkSync(file(name));
  symlinkSync(elsewhere, file(name));
}

describe('asof verify of a snapshot of the sample', () => {
  beforeEach(async () => {
    const lines = ['gdp.csv obs GDP', 'curve.json curve', 'rates.csv yields --maturity 10Y'];
    expect(await snapshot(lines)).toEqual(success);
  });

  it('accepts it, and prints nothing without -v', async () => {
    expect(await verify()).toEqual(success);
    const onTerminal = await asof(['verify', out], { stderrIsTerminal: true, columns: 200 });
    expect(onTerminal.err).toMatch(
      /^asof: \S+ as of \S+: \d+ files as recorded, and as their commands give them\n$/,
    );
    expect((await verify('-v')).err).toMatch(
      /^asof: \S+snap as of 2015-02-01: 3 files as recorded, and as their commands give them\n$/,
    );
  });

  it.each<readonly [what: string, damage: () => void, found: readonly unknown[]]>([
    ['a missing file', () => unlinkSync(file('curve.json')), ['curve.json is missing']],
    [
      'a changed file, with its first differing line',
      () => rewrite('gdp.csv', (text) => text.replace(',17710.7,', ',17710.8,')),
      [
        'gdp.csv has changed: its SHA-256 differs',
        'gdp.csv differs from what its command gives, from line 2 on: "2014-10-01,17710.8,2015-01-30,GDP,Billions of Dollars,Q,FRED" here, "2014-10-01,17710.7,2015-01-30,GDP,Billions of Dollars,Q,FRED" there',
      ],
    ],
    [
      'a file that was cut',
      () => rewrite('gdp.csv', (text) => `${text.split('\n').slice(0, 3).join('\n')}\n`),
      [
        expect.stringMatching(/^gdp\.csv has changed: \d+ bytes, not \d+$/),
        expect.stringMatching(/^gdp\.csv differs .* from line 4 on: "" here, "2014-04-01,17328\.2,/),
      ],
    ],
    ['an additional file', () => writeFileSync(file('mine.txt'), ''), ['mine.txt is not in the manifest']],
    [
      'a folder in the place of a file',
      () => {
        unlinkSync(file('curve.json'));
        mkdirSync(file('curve.json'));
      },
      ['curve.json is not a regular file'],
    ],
    ['a link in the place of a file', () => link('curve.json'), ['curve.json is not a regular file']],
    ['a link as its manifest', () => link('manifest.json'), ['manifest.json is not a regular file']],
    [
      'a damaged manifest',
      () => rewrite('manifest.json', (text) => text.replace('"rows": 11', '"rows": 12')),
      ['manifest.json is damaged'],
    ],
  ])('reports %s', async (_, damage, found) => {
    damage();
    const { code, out: said, err } = await verify();
    expect([code, linesOf(said)]).toEqual([1, found]);
    expect(err).toMatch(/^asof: \S+snap differs from its manifest or its data: [\w., ]+\n$/);
    expect((await verify('-q')).err).toBe('');
  });

  it('reports on the files even if the data cannot be read', async () => {
    appendFileSync(file('gdp.csv'), 'x');
    const { code, out: said, err } = await verify('--store', join(folder, 'none.db'));
    expect([code, said]).toEqual([10, expect.stringMatching(/^gdp\.csv has changed: \d+ bytes, not \d+\n$/)]);
    expect(err).toMatch(
      /^asof: cannot open the store \S+none\.db: there is no such file or folder \(`asof import` makes a store/,
    );
  });

  /** Replaces the manifest with a changed one whose sum is right. */
  function forge(change: object) {
    const { format: _, manifest_sha256: __, ...content } = JSON.parse(read('manifest.json'));
    Object.assign(content.files[0], change);
    unlinkSync(file('manifest.json'));
    writeFileSync(file('manifest.json'), manifestText(content));
  }

  it('runs nothing where a manifest names what no plan could: exit 2', async () => {
    const target = join(folder, 'made.db');
    const command = `import ${write('made.csv', statements(['X,2015-01-01,2015-01-02,1']))} --store ${target}`;
    forge({ command });
    const err = `asof: gdp.csv: '${command}' is not a command that reads data\n`;
    expect(await verify()).toEqual({ code: 2, out: '', err });
    expect(existsSync(target)).toBe(false);
    forge({ command: 'obs "GDP' });
    expect(await verify()).toMatchObject({ code: 2, err: 'asof: gdp.csv: a quote is not closed: "GDP\n' });
  });

  it.each([
    [{ rows: 99 }, /^gdp\.csv is recorded with 99 rows, and its command gives \d+\n$/],
    [
      { as_of: '2014-12-31' },
      /^gdp\.csv is recorded as of 2014-12-31, and its command answers as of 2015-02-01\n$/,
    ],
  ])('reports where the manifest misstates the result of its command: %j', async (wrong, found) => {
    forge(wrong);
    expect(await verify()).toMatchObject({ code: 1, out: expect.stringMatching(found) });
  });
});

it.each<readonly [what: string, make: () => string]>([
  ['it does not exist', () => join(folder, 'none')],
  ['it is a file', () => write('plan.txt', 'x')],
])('asof verify exits with 10 if %s', async (_, make) => {
  const { code, out: said, err } = await asof(['verify', make()]);
  expect([code, said, err]).toEqual([10, '', expect.stringMatching(/^asof: cannot read \S+: [^\n]+\n$/)]);
});

it('asof verify exits with 10 if a folder is not a snapshot, and says so', async () => {
  const err = `asof: ${realpathSync(folder)} is not a snapshot: it has no manifest.json\n`;
  expect(await asof(['verify', folder])).toEqual({ code: 10, out: '', err });
});

describe('asof verify runs the commands again on', () => {
  const stores = newFolder();
  const env = (store: string) => ({ env: { ASOF_STORE: store } });
  let [store, changed] = ['', ''];
  beforeAll(async () => {
    [store, changed] = [await importedStore(newFolder()), await importedStore(newFolder())];
    const later = ['GDP,2014-04-01,2014-07-30,17294.7', 'GDP,2014-04-01,2015-07-30,17285.6'];
    const facts = stores.write('later.csv', statements(later));
    expect((await asof(['import', facts, '--store', changed])).code).toBe(0);
  });

  it('the store that the snapshot came from, unless another is named, and reports what differs about the day', async () => {
    await snapshot(['gdp.csv obs GDP', 'rate.csv obs UNRATE'], '--store', store);
    expect(await verify()).toEqual(success);
    expect(await verify('--store', changed)).toMatchObject({
      code: 1,
      out: 'gdp.csv is not what its command gives now, from line 4 on: "" here, "2014-04-01,17294.7,2014-07-30,GDP,,Q," there\n',
    });
    expect((await asof(['verify', out], env(changed))).code).toBe(1);
    expect((await asof(['verify', out, '--store', store], env(changed))).code).toBe(0);
  });

  it('the sample if it came from that, even if there is a store by now', async () => {
    const home = { env: { HOME: join(folder, 'home') } };
    await snapshot(['gdp.csv obs GDP']);
    const facts = write('f.csv', statements(['GDP,2014-04-01,2014-07-30,1']));
    expect((await asof(['import', facts], home)).code).toBe(0);
    expect(await asof(['verify', out], home)).toEqual(success);
  });

  it('nothing if there is no source, and says so', async () => {
    const gone = await importedStore(newFolder());
    await snapshot(['gdp.csv obs GDP'], '--store', gone);
    rmSync(gone);
    const said = 'asof: no store or service to compare with: only the files were read\n';
    expect(await verify()).toEqual({ ...success, err: said });
    expect((await verify('-v')).err).toMatch(/: 1 file as recorded\n$/);
    appendFileSync(file('gdp.csv'), 'x');
    expect((await verify()).code).toBe(1);
  });
});
