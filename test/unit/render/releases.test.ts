import { describe, expect, it } from 'vitest';
import { calendar } from '../../../src/operations/calendar/calendar.ts';
import type { Row } from '../../../src/operations/envelope.ts';
import { daysRenderer } from '../../../src/render/formats/days.ts';
import { icsRenderer } from '../../../src/render/formats/ics.ts';
import { envelope, layout, output } from '../../support/rows.ts';

const zone = 'America/New_York';

/** A row of a calendar, the Employment Situation at 08:30 unless it says otherwise. */
function release(date: string, changes: Row = {}): Row {
  return {
    ...{
      date,
      time: '08:30',
      zone,
      at: null,
      release: 'bls:employment-situation',
      name: 'Employment Situation',
    },
    ...{ period: '', status: 'planned', since: '2025-10-01', known_from: '2025-10-01', moved_to: null },
    ...{ certainty: 'official time', source: 'BLS', evidence: '', ...changes },
  };
}

/** A list of releases on a terminal of 80 cells, with the day that it marks. */
function shown(rows: readonly Row[], today?: string, asOf?: string): readonly string[] {
  const renderer = daysRenderer(layout(calendar.fields, { width: 80, ...(today && { today }) }));
  const { as_of: _, ...page } = envelope(rows);
  const lines = `${renderer.page({ ...page, ...(asOf && { as_of: asOf }) })}${renderer.end()}`.split('\n');
  expect(lines.pop()).toBe('');
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  return lines;
}

describe('releases on a terminal', () => {
  const gdp = {
    ...{ release: 'bea:gross-domestic-product', name: 'Gross Domestic Product' },
    period: '3rd Quarter 2025 (Advance Estimate) and Corporate Profits',
  };

  it('have a date once, with its weekday, and mark today', () => {
    const rows = [
      release('2025-10-24', { name: 'Consumer Price Index' }),
      release('2025-10-30', gdp),
      release('2025-10-30', { name: 'New Residential Sales', time: '10:00' }),
      release('2025-11-07'),
    ];
    expect(shown(rows, '2025-10-30')).toEqual([
      'date              time   name                    period                  status',
      '2025-10-24 Fri    08:30  Consumer Price Index                            planned',
      '2025-10-30 today  08:30  Gross Domestic Product  3rd Quarter 2025 (Adv…  planned',
      '                  10:00  New Residential Sales                           planned',
      '2025-11-07 Fri    08:30  Employment Situation                            planned',
      'times in America/New_York',
    ]);
  });

  it('mark a day without releases between two others, but no day before or after all', () => {
    const rows = [release('2025-10-03'), release('2025-11-07')];
    expect(shown(rows, '2025-10-10').slice(1, 4)).toEqual([
      '2025-10-03 Fri    08:30  Employment Situation  planned',
      '2025-10-10 today         –',
      '2025-11-07 Fri    08:30  Employment Situation  planned',
    ]);
    for (const day of ['2025-10-01', '2025-12-01', undefined])
      expect(shown(rows, day)[1]).toBe('2025-10-03 Fri  08:30  Employment Situation  planned');
  });

  it('mark the as-of date instead of today', () => {
    expect(
      shown([release('2025-10-02'), release('2025-10-03')], '2025-10-03', '2025-10-02').slice(1, 3),
    ).toEqual([
      '2025-10-02 as of  08:30  Employment Situation  planned',
      '2025-10-03 Fri    08:30  Employment Situation  planned',
    ]);
  });

  it('say which times are usual ones, where a release moved, and the places of several zones', () => {
    const rows = [
      release('2025-10-03', { certainty: 'usual time', status: 'moved', moved_to: '2025-11-20' }),
      release('2025-10-04', { time: '', zone: '', certainty: 'official day' }),
    ];
    expect(shown(rows)).toEqual([
      'date            time    name                  status',
      '2025-10-03 Fri  ~08:30  Employment Situation  moved to 2025-11-20',
      '2025-10-04 Sat          Employment Situation  planned',
      'times in America/New_York; ~ is the usual time, which no calendar states',
    ]);
    expect(shown([...rows, release('2025-10-05', { zone: 'Europe/Berlin' })])).toEqual([
      'date            time             name                  status',
      '2025-10-03 Fri  ~08:30 New York  Employment Situation  moved to 2025-11-20',
      '2025-10-04 Sat                   Employment Situation  planned',
      '2025-10-05 Sun  08:30 Berlin     Employment Situation  planned',
      '~ is the usual time, which no calendar states',
    ]);
  });

  it('without rows are the head of the table', () => {
    expect(shown([], '2025-10-03')).toEqual(['date  time  name  status']);
  });
});

describe('a calendar for programs', () => {
  /** The lines of an event, unfolded. */
  const eventOf = (row: Row) => {
    const text = output(icsRenderer(), [row]).replaceAll('\r\n ', '');
    return text
      .slice(text.indexOf('BEGIN:VEVENT'), text.indexOf('END:VEVENT'))
      .trimEnd()
      .split('\r\n')
      .slice(1);
  };

  it('has times in UTC, in summer and in winter', () => {
    // 08:30 in New York: RFC 5545 writes the instant in its form with Z.
    const at = {
      '2025-10-03T12:30:00Z': 'DTSTART:20251003T123000Z',
      '2026-01-09T13:30:00Z': 'DTSTART:20260109T133000Z',
    };
    for (const [instant, line] of Object.entries(at))
      expect(eventOf(release(instant.slice(0, 10), { at: instant }))).toContain(line);
  });

  it('has a whole day where no time is known', () => {
    expect(eventOf(release('2025-10-03', { time: '', zone: '', certainty: 'official day' }))).toEqual([
      'UID:2025-10-03.bls:employment-situation@asof',
      'DTSTAMP:20251001T000000Z',
      'DTSTART;VALUE=DATE:20251003',
      'SUMMARY:Employment Situation',
      'DESCRIPTION:planned since 2025-10-01\\nofficial day\\nBLS',
      'STATUS:CONFIRMED',
      'TRANSP:TRANSPARENT',
    ]);
  });

  it.each([
    ['planned', 'CONFIRMED'],
    ['released', 'CONFIRMED'],
    ['passed', 'TENTATIVE'],
    ['moved', 'CANCELLED'],
    ['cancelled', 'CANCELLED'],
    ['vanished', 'CANCELLED'],
  ])('states that a %s release is %s', (status, state) => {
    expect(eventOf(release('2025-10-03', { status }))).toContain(`STATUS:${state}`);
  });

  it('escapes commas and lines, and folds lines of more than 75 bytes', () => {
    const name = `Prices, wages; "é" \\ and ${'much '.repeat(20)}`;
    const text = output(icsRenderer(), [release('2025-10-03', { name, period: 'May' })]);
    expect(text.split('\r\n').filter((line) => Buffer.byteLength(line) > 75)).toEqual([]);
    expect(text.replaceAll('\r\n ', '')).toContain(
      `SUMMARY:Prices\\, wages\\; "é" \\\\ and ${'much '.repeat(20)}: May`,
    );
  });

  it('is whole, with an event for each row of each page', () => {
    const text = output(icsRenderer(), [release('2025-10-03')], [release('2025-11-07')]);
    expect(text.startsWith('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:')).toBe(true);
    expect(text.endsWith('END:VEVENT\r\nEND:VCALENDAR\r\n')).toBe(true);
    expect(text.match(/^UID:.*$/gm)).toEqual([
      'UID:2025-10-03.bls:employment-situation@asof',
      'UID:2025-11-07.bls:employment-situation@asof',
    ]);
    expect(output(icsRenderer())).toMatch(/^BEGIN:VCALENDAR\r\n[\s\S]*END:VCALENDAR\r\n$/);
  });
});
