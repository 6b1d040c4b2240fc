import { newRandom, writeCsv } from './data.mjs';

const measures = [
  'Unemployment Rate in',
  'All Employees: Total Nonfarm in',
  'Resident Population in',
  'All-Transactions House Price Index for',
  'New Private Housing Units Authorized by Building Permits for',
  'Gross Domestic Product: All Industries in',
  'Per Capita Personal Income in',
  'Average Weekly Wages for Employees in Private Establishments in',
  'Civilian Labor Force in',
  'Consumer Price Index for All Urban Consumers: All Items in',
  'Estimate of Median Household Income for',
  'Homeownership Rate for',
  'Burdened Households in',
  'Number of Private Establishments for All Industries in',
  'Market Hotness: Median Listing Price in',
  'Exports of Goods from',
];
const units = ['Percent', 'Persons', 'Thousands of Persons', 'Index 1982-1984=100', 'Dollars', 'Units'];
const syllables =
  'al bar cam dor el fair gran har in jef kent lin mon nor ox per quin ros stan tal un ver wash york zan'.split(
    ' ',
  );
const states =
  'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'.split(
    ' ',
  );

/** The place with a number, as titles name it: a made-up county of a state. */
export function placeOf(number) {
  const random = newRandom(number + 3);
  const parts = Array.from(
    { length: 2 + (number % 2) },
    () => syllables[Math.floor(random() * syllables.length)],
  );
  const name = parts.join('');
  return `${name[0].toUpperCase()}${name.slice(1)} County, ${states[Math.floor(random() * states.length)]}`;
}

/** Writes as many series as wanted with one value each, and their descriptions; gives both paths. */
export async function writeCatalogue(folder, count) {
  const paths = { facts: `${folder}/catalogue.csv`, descriptions: `${folder}/descriptions.csv` };
  const described = function* () {
    for (let i = 0; i < count; i += 1) {
      const [measure, place] = [i % measures.length, Math.floor(i / measures.length)];
      const seasonal = i % 3 === 0 ? 'SA' : 'NSA';
      yield `${idOf(i)},"${measures[measure]} ${placeOf(place)}",${units[i % units.length]},M,${seasonal},Bench`;
    }
  };
  const facts = function* () {
    for (let i = 0; i < count; i += 1) yield `${idOf(i)},2020-01-01,2020-02-01,${i % 1000}.5`;
  };
  await writeCsv(paths.facts, facts());
  await writeCsv(
    paths.descriptions,
    described(),
    'series_id,title,units,frequency,seasonal_adjustment,source',
  );
  return paths;
}

function idOf(number) {
  const letters = ['URN', 'NAN', 'POP', 'STHPI', 'BPPRIV', 'GDPALL', 'PCPI', 'ENUC', 'LFN', 'CUUR'];
  return `${letters[number % letters.length]}${String(number).padStart(6, '0')}`;
}
