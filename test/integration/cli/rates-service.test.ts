import { describe, expect, it } from 'vitest';
import { asof, linesOf } from '../../support/command.ts';
import { heldRates, ratesService } from '../../support/rates-service.ts';

const run = (line: string, url: string) =>
  asof([...line.split(' '), '--csv', '--no-header', '--base-url', url, '--retries', '0']);

const ratesOf = (type: string, ...maturities: readonly string[]) =>
  heldRates
    .filter(
      ([, maturity, , its]) => its === type && (maturities.length === 0 || maturities.includes(maturity)),
    )
    .map(([day, maturity, rate]) => `${day},${maturity},${rate}`);

describe('a service without a description, asked with the parameters of the treasury endpoints', () => {
  it.each([
    ['yields --type tips', ratesOf('TIPS'), 1],
    ['yields --type par', ratesOf('PAR'), 2],
    ['yields --maturity 10Y', ratesOf('PAR', '10Y'), 1],
    [
      'yields --type tips --maturity 5Y --from 2022-11-20 --to 2022-11-25',
      ratesOf('TIPS', '5Y').slice(5, 11),
      1,
    ],
    ['yields --maturity 10Y --limit 3', ratesOf('PAR', '10Y').slice(0, 3), 1],
  ])('answers asof %s', async (line, rows, requests) => {
    const { url, asked } = await ratesService();
    const { code, out, err } = await run(`${line} --columns trade_date,maturity,rate`, url);
    expect([code, err, linesOf(out)]).toEqual([0, '', rows]);
    expect(asked).toHaveLength(requests);
  });

  it.each([
    ['spread', '', '10Y', '2Y', 'PAR'],
    ['spread --type par --long 5Y', 'curve_type=PAR', '5Y', '2Y', 'PAR'],
    ['spread --type tips --long 10Y --short 5Y', 'curve_type=TIPS', '10Y', '5Y', 'TIPS'],
  ])('answers with its rates asof %s', async (line, sent, long, short, type) => {
    const { url, asked } = await ratesService();
    const { code, out, err } = await run(`${line} --columns trade_date,long_rate,short_rate`, url);
    const rates = (maturity: string) => heldRates.filter((rate) => rate[1] === maturity && rate[3] === type);
    const expected = rates(long).map(([day, , rate], i) => `${day},${rate},${rates(short)[i]?.[2]}`);
    expect([code, err, linesOf(out)]).toEqual([0, '', expected]);
    expect(asked[0]?.url).toContain(sent);
  });

  it.each([
    ['maturity', 'yields --maturity 10Y', 'maturity is "2Y", but 10Y was asked for'],
    ['curve_type', 'yields --type tips', 'curve_type is "PAR", but TIPS was asked for'],
    ['from', 'yields --from 2022-11-20', 'before 2022-11-20'],
    ['to', 'yields --to 2022-11-20', 'after 2022-11-20'],
    ['cursor', 'yields', 'the service repeats a page of a listing'],
    ['long', 'spread --long 5Y', 'long_maturity is "10Y", but 5Y was asked for'],
    ['short', 'spread --short 5Y', 'short_maturity is "2Y", but 5Y was asked for'],
    ['curve_type', 'spread --type tips --long 10Y --short 5Y', 'curve_type is "PAR", but TIPS was asked for'],
    [
      'curve_type of spread',
      'spread --type tips --long 10Y --short 5Y',
      'results[0].long_rate is "3.70", but its TIPS rate of 10Y is 1.50',
    ],
  ])('is not believed where it overlooks %s: asof %s', async (name, line, words) => {
    const { url } = await ratesService([name]);
    const { code, err } = await run(line, url);
    expect([code, err]).toEqual([8, expect.stringContaining(words)]);
  });
});
