import { describe, expect, it } from 'vitest';
import { readHeader } from '../../../../../src/import/formats/sec/filing-dates.ts';
import { parseTableDate } from '../../../../../src/import/formats/sec/form345.ts';
import {
  accessionIn,
  parseAccession,
  parseAmount,
  parseCik,
  parseFlag,
  parseForm,
  parseInstant,
  parseStatedDate,
  tickerOf,
} from '../../../../../src/import/formats/sec/values.ts';
import { sourceFile } from '../../../../support/source-file.ts';

/** The instant of a time in the header of a submission; undefined if it is refused. */
function acceptedAt(text: string): string | null | undefined {
  const header = [
    'ACCESSION NUMBER: 0000899243-17-024441',
    'CONFORMED SUBMISSION TYPE: 4',
    'FILED AS OF DATE: 20170912',
    `<ACCEPTANCE-DATETIME>${text}`,
  ];
  try {
    return readHeader(sourceFile('x.txt', ''), header.join('\n')).acceptedAt;
  } catch {
    return undefined;
  }
}

describe('a value as the SEC writes it', () => {
  it.each<[string, (text: string) => unknown, string, unknown]>([
    ['a form', parseForm, '4/A', '4/A'],
    ['a form', parseForm, '144', undefined],
    ['an accession number', parseAccession, '0000899243-17-024441', '0000899243-17-024441'],
    ['an accession number', parseAccession, '000089924317024441', '0000899243-17-024441'],
    ['an accession number', parseAccession, '0000899243-17-24441', undefined],
    ['the number in a path', accessionIn, '000089924317024441__doc3.xml', '0000899243-17-024441'],
    [
      'the number in a path',
      accessionIn,
      'b8ec1c3c9869__000106299323011116_form4.xml',
      '0001062993-23-011116',
    ],
    ['the number in a path', accessionIn, 'data/1318605/000089924317024441/doc4.xml', '0000899243-17-024441'],
    [
      'the number in a path',
      accessionIn,
      '000089924322035394__0000899243-22-035395.txt',
      '0000899243-22-035395',
    ],
    ['the number in a path', accessionIn, 'wk-form4_1710535108.xml', undefined],
    ['the number in a path', accessionIn, '1000089924317024441.xml', undefined],
    ['a CIK', parseCik, '65770', '0000065770'],
    ['a CIK', parseCik, '00000065770', undefined],
    ['a flag', parseFlag, '', null],
    ['a flag', parseFlag, 'TRUE', true],
    ['a flag', parseFlag, '1', true],
    ['a flag', parseFlag, '0', false],
    ['a flag', parseFlag, 'false', false],
    ['a flag', parseFlag, 'yes', undefined],
    ['an amount', parseAmount, '0012.50', '0012.50'],
    ['an amount', parseAmount, '.5', '0.5'],
    ['an amount', parseAmount, '-.5', '-0.5'],
    ['an amount', parseAmount, '+5.', '5'],
    ['an amount', parseAmount, '1.0E7', '10000000'],
    ['an amount', parseAmount, '1,000', undefined],
    ['an amount', parseAmount, '$5', undefined],
    ['an amount', parseAmount, '.', undefined],
    ['an amount', parseAmount, '0x1f', undefined],
    ['a stated date', parseStatedDate, '2021-09-30-05:00', '2021-09-30'],
    ['a stated date', parseStatedDate, '2021-09-30Z', '2021-09-30'],
    ['a stated date', parseStatedDate, '0022-11-08', '0022-11-08'],
    ['a stated date', parseStatedDate, '2023-02-29', undefined],
    ['a stated date', parseStatedDate, '2021-09-30T00:00:00', undefined],
    ['a date of a table', parseTableDate, '31-JUL-2024', '2024-07-31'],
    ['a date of a table', parseTableDate, '29-Feb-2024', '2024-02-29'],
    ['a date of a table', parseTableDate, '29-FEB-2023', undefined],
    ['a date of a table', parseTableDate, '31-JUY-2024', undefined],
    ['an instant', parseInstant, '2025-04-24T22:59:24.000Z', '2025-04-24T22:59:24Z'],
    ['an instant', parseInstant, '2025-04-24T24:59:24Z', undefined],
    ['an instant', parseInstant, '2025-04-24T22:59:24-04:00', undefined],
    ['a time in Washington (standard)', acceptedAt, '20221108201810', '2022-11-09T01:18:10Z'],
    ['a time in Washington (daylight)', acceptedAt, '20250428163735', '2025-04-28T20:37:35Z'],
    [
      'a time in Washington (April of 2006, before the law of 2007)',
      acceptedAt,
      '20060331120000',
      '2006-03-31T17:00:00Z',
    ],
    [
      'a time in Washington (the day the clocks go back)',
      acceptedAt,
      '20241103060000',
      '2024-11-03T11:00:00Z',
    ],
    ['a time in Washington', acceptedAt, '20221308201810', undefined],
    ['a ticker', tickerOf, ' vicr ', 'VICR'],
    ['a ticker', tickerOf, '(SIRI)', '(SIRI)'],
    ['a ticker', tickerOf, 'NAVI', 'NAVI'],
    ...['', '-', 'N/A', 'n/a', 'NA', 'N.A.', 'None', '[NONE]', '[None]'].map(
      (text): [string, (text: string) => unknown, string, unknown] => ['a ticker', tickerOf, text, null],
    ),
  ])('is read as %s (%#)', (_, parse, text, value) => {
    expect(parse(text)).toEqual(value);
  });
});
