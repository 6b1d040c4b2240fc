import { describe, expect, it } from 'vitest';
import { readTexts } from '../../../../src/answering/question.ts';
import type { ParamTexts } from '../../../../src/operations/param.ts';
import { questions } from '../../../../src/questions/table.ts';

const clock = { today: '2026-01-15', latest: '2026-01-15' };

const valuesOf = (...texts: ParamTexts) => readTexts(questions.revisions, [['id', 'GDP'], ...texts], clock);

describe('the horizons of revisions', () => {
  it('are releases and days after the first one', () => {
    expect(valuesOf(['release', '1,12,final'], ['after', '90d,0'])).toMatchObject({
      release: [1, 12, 'final'],
      after: [90, 0],
    });
  });

  it.each(['0', '1,', 'first', '-1', '1.5', 'Final', '10000'])(
    'are refused unless they are numbers of releases or final: %j',
    (text) => {
      expect(() => valuesOf(['release', text])).toThrow('use numbers of releases or final');
    },
  );

  it.each(['', '90w', '-1', '1e3', '30d;90d', '100000'])('are refused unless they are days: %j', (text) => {
    expect(() => valuesOf(['after', text])).toThrow('use days after the first release');
  });
});
