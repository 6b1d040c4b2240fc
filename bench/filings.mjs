import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newRandom } from './data.mjs';

const columns = {
  SUBMISSION: [
    'ACCESSION_NUMBER',
    'FILING_DATE',
    'PERIOD_OF_REPORT',
    'DATE_OF_ORIG_SUB',
    'DOCUMENT_TYPE',
    'ISSUERCIK',
    'ISSUERNAME',
    'ISSUERTRADINGSYMBOL',
    'AFF10B5ONE',
  ],
  REPORTINGOWNER: [
    'ACCESSION_NUMBER',
    'RPTOWNERCIK',
    'RPTOWNERNAME',
    'RPTOWNER_RELATIONSHIP',
    'RPTOWNER_TITLE',
  ],
  NONDERIV_TRANS: [
    'ACCESSION_NUMBER',
    'NONDERIV_TRANS_SK',
    'SECURITY_TITLE',
    'TRANS_DATE',
    'TRANS_CODE',
    'TRANS_SHARES',
    'TRANS_PRICEPERSHARE',
    'TRANS_ACQUIRED_DISP_CD',
    'SHRS_OWND_FOLWNG_TRANS',
    'DIRECT_INDIRECT_OWNERSHIP',
  ],
};

/** The filings of a quarter, as in the data set of 2024Q3. */
export const filingsOfQuarter = 36_000;
const issuers = 6000;
const insidersOfIssuer = 8;
/** One filing in ten reports purchases. */
const codes = ['P', 'S', 'S', 'S', 'S', 'A', 'A', 'F', 'F', 'M'];
const months = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];

/** The symbol of a made-up issuer. */
export function symbolOf(issuer) {
  return `T${String(issuer).padStart(4, '0')}`;
}

/** Writes a quarter's data set, the same in every run, and returns its path and the number of its trades. */
export async function writeQuarter(folder, quarter) {
  const random = newRandom(quarter + 11);
  const below = (count) => Math.floor(random() * count);
  const [submissions, owners, trades] = [[], [], []];
  for (let i = 1; i <= filingsOfQuarter; i += 1) {
    const issuer = below(issuers);
    const insider = issuer * insidersOfIssuer + below(insidersOfIssuer);
    const number = `${String(insider).padStart(10, '0')}-${15 + (quarter >> 2)}-${String((quarter % 4) * 40_000 + i).padStart(6, '0')}`;
    const day = Date.UTC(2015, 3 * quarter, 1 + below(85));
    const code = codes[below(codes.length)];
    const form = random() < 0.017 ? '4/A' : '4';
    const [filed, traded] = [dateOf(day + 86_400_000 * below(5)), dateOf(day)];
    submissions.push([
      number,
      filed,
      traded,
      '',
      form,
      1_000_000 + issuer,
      `Issuer ${issuer} Inc.`,
      symbolOf(issuer),
      '0',
    ]);
    const role = insider % 5 === 0 ? 'TenPercentOwner' : insider % 2 === 0 ? 'Director' : 'Officer';
    owners.push([
      number,
      2_000_000 + insider,
      `Insider ${insider}`,
      role,
      role === 'Officer' ? 'Chief Officer' : '',
    ]);
    if (random() < 0.05)
      owners.push([number, 9_000_000 + issuer, `Fund ${issuer} LP`, 'TenPercentOwner', '']);
    for (let row = 1 + below(6); row > 0; row -= 1) {
      const [shares, price] = [(1 + below(50_000)).toFixed(1), (1 + random() * 200).toFixed(4)];
      const direction = code === 'S' || code === 'F' ? 'D' : 'A';
      const after = (100_000 + below(900_000)).toFixed(1);
      trades.push([
        number,
        trades.length + 1,
        'Common Stock',
        traded,
        code,
        shares,
        price,
        direction,
        after,
        'D',
      ]);
    }
  }
  const target = join(folder, `quarter-${quarter}`);
  await mkdir(target);
  const tables = { SUBMISSION: submissions, REPORTINGOWNER: owners, NONDERIV_TRANS: trades };
  for (const [name, rows] of Object.entries(tables)) {
    const text = [columns[name], ...rows].map((cells) => `${cells.join('\t')}\n`).join('');
    await writeFile(join(target, `${name}.tsv`), text);
  }
  return { path: target, trades: trades.length };
}

function dateOf(time) {
  const date = new Date(time);
  return `${String(date.getUTCDate()).padStart(2, '0')}-${months[date.getUTCMonth()]}-${date.getUTCFullYear()}`;
}
