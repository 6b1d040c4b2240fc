import { describe, expect, it } from 'vitest';
import { seriesShow } from '../../../../src/operations/series/series.ts';
import { selectColumns } from '../../../../src/render/columns.ts';
import { cardRenderer } from '../../../../src/render/table.ts';
import { answerWith } from '../../../support/clients.ts';

const row = {
  id: 'GDP',
  title: 'Gross Domestic Product',
  units: '',
  observation_count: 311,
  source: 'B\u001B[2JEA',
};

function card(names?: readonly string[], colour = false): string {
  const columns = selectColumns(seriesShow.fields, seriesShow.columns, names);
  const renderer = cardRenderer({ columns, header: true, colour });
  return renderer.page(answerWith(seriesShow, [row])) + renderer.end();
}

describe('a card', () => {
  it('has a line for each field that has a value, with its name and the value in full', () => {
    const lines = card().trimEnd().split('\n');
    expect(lines.map((line) => line.split(/: +/))).toEqual([
      ['id', 'GDP'],
      ['title', 'Gross Domestic Product'],
      ['observation_count', '311'],
      ['source', 'B␛[2JEA'],
    ]);
    expect(
      new Set(lines.map((line) => /: +/.exec(line)).map((gap) => (gap?.index ?? 0) + (gap?.[0].length ?? 0)))
        .size,
    ).toBe(1);
  });

  it('has the columns that the user names, in that order', () => {
    expect(card(['title', 'id'])).toBe('title:  Gross Domestic Product\nid:     GDP\n');
  });

  it('has bold names where colours are allowed', () => {
    expect(card(['id'], true)).toBe('\u001B[1mid:  \u001B[22mGDP\n');
  });

  it('separates two rows by an empty line', () => {
    const columns = selectColumns(seriesShow.fields, seriesShow.columns, ['id']);
    const renderer = cardRenderer({ columns, header: true, colour: false });
    expect(renderer.page(answerWith(seriesShow, [{ id: 'A' }, { id: 'B' }]))).toBe('id:  A\n\nid:  B\n');
  });
});
