import { readFileSync } from 'node:fs';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { asof, statements } from '../../support/command.ts';
import { newFolder } from '../../support/folders.ts';

/** The size of a PNG image, and whether its data are those of the size. */
function imageOf(bytes: Buffer) {
  expect(bytes.subarray(0, 8).toString('latin1')).toBe('\u0089PNG\r\n\u001A\n');
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const data: Buffer[] = [];
  for (let at = 8; at < bytes.length; ) {
    const length = bytes.readUInt32BE(at);
    if (bytes.subarray(at + 4, at + 8).toString() === 'IDAT')
      data.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const pixels = inflateSync(Buffer.concat(data));
  return { width, height, isWhole: pixels.length === height * (4 * width + 1) };
}

describe('a chart as PNG', () => {
  it('is the picture of the SVG file at twice its size', async () => {
    const home = newFolder();
    const store = home.path('store.db');
    const file = home.write(
      'facts.csv',
      statements(['A,2020-01-01,2020-02-01,1.5', 'A,2020-04-01,2020-05-01,2']),
    );
    await asof(['import', file, '--store', store]);
    const path = home.path('a.png');
    const made = await asof(['obs', 'A', '-o', path, '--width', '500', '--height', '400', '--store', store]);
    expect(made).toMatchObject({ code: 0, err: '' });
    expect(imageOf(readFileSync(path))).toEqual({ width: 1000, height: 800, isWhole: true });
  });

  it('is refused on a terminal and with --columns', async () => {
    const onTerminal = await asof(['obs', 'GDP', '-f', 'png'], { stdoutIsTerminal: true });
    expect([onTerminal.code, onTerminal.err]).toEqual([2, expect.stringContaining('png is a binary format')]);
    const columns = await asof(['obs', 'GDP', '-o', 'a.png', '--columns', 'date']);
    expect([columns.code, columns.err]).toEqual([2, expect.stringContaining('a chart has no columns')]);
  });
});
