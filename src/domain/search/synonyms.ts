/**
 * What people type, and what series call it. To teach the search a word, add a line `typed = meant, meant, …`.
 * A meaning is a phrase, of which every word must be a word of the title, the units or the id, singular or plural,
 * or a series id in capital letters, the most likely first.
 */
const lines = `
jobs = PAYEMS, payrolls, all employees, employment
payrolls = PAYEMS, all employees
nonfarm = PAYEMS, total nonfarm
employment = PAYEMS, employees, payrolls
unemployment = UNRATE, jobless, uneto, unemp
jobless = UNRATE, unemployment
jobless claims = ICSA, initial claims, unemployment insurance
claims = ICSA, CLAIMSX
participation = CIVPART, labor force
wages = CES0500000003, earnings, compensation, wage
hours = AWHNONAG, hours worked

inflation = CPIAUCSL, PCEPI, CPILFESL, PCEPILFE, JCXFE, consumer price, hicp, personal consumption price, price index
core inflation = CPILFESL, PCEPILFE, JCXFE
core cpi = CPILFESL
core pce = PCEPILFE, JCXFE
core = less food energy, excluding food energy
headline = all items
cpi = CPIAUCSL, consumer price
consumer prices = CPIAUCSL, consumer price, hicp
producer prices = PPIFIS, producer price
pce = PCE, PCEC, personal consumption
pce inflation = PCEPI, PCEPILFE, JCXFE, personal consumption price
ppi = PPIFIS, producer price
price index = CPIAUCSL, PCEPI, price index
deflator = GDPDEF, P, price index gdp, implicit price
breakeven = T10YIE, T5YIE, breakeven inflation

gdp = GDP, GDPC1, gross domestic product, b1gq
real gdp = GDPC1, real gross domestic product, gross domestic product volume, gross domestic product chain linked
gnp = GNP, gross national product
growth = GDPC1, percent change
output = GDP, production, product
ip = INDPRO, industrial production
real = chained, constant prices, inflation indexed
nominal = current prices
consumption = PCE, PCEC, personal consumption
spending = expenditures, expenditure, consumption
investment = PNFIC1, GPDI, fixed investment
government = GCEC1, government
productivity = OPHPBS, OPHNFB, output per hour
labor costs = ULCBS, ULCNFB, unit labor, unit labour, labour costs
labour costs = ULCBS, ULCNFB, unit labour, unit labor, labor costs
labor = labour
labour = labor
labor market = UNRATE, PAYEMS, JTSJOL, CIVPART, unemployment, employment, payrolls, job openings
labour market = UNRATE, PAYEMS, JTSJOL, CIVPART, unemployment, employment, payrolls, job openings
profits = CP, corporate profits
income = PINCOME, PI, DSPIC96, income
savings = PSAVERT, RATESAV, saving
saving = PSAVERT, RATESAV
retail = RSAFS, RSXFS, retail sales
housing = HOUST, housing, home, houses
starts = started
home sales = HSN1F, houses sold
permits = PERMIT, building permits
orders = DGORDER, new orders
durable goods = DGORDER, durable
inventories = BUSINV, inventories
exports = EXPGS, EXPGSC1, BOPTEXP
imports = IMPGS, IMPGSC1, BOPTIMP
trade balance = BOPGSTB, NETEXC, net exports, current account
sentiment = UMCSENT, consumer sentiment
capacity = TCU, CUMFNS, capacity utilization
oil = DCOILWTICO, OILPRICEX, crude, petroleum
dollar = DTWEXBGS, exchange rate
stocks = SP500, S&P 500, stock
vix = VIXCLS, VIXCLSX, volatility
money = M2SL, M1SL, money
money supply = M2SL, M1SL, money stock
m1 = M1SL, money stock
m2 = M2SL, money stock
mortgage = MORTGAGE30US
deficit = FYFSD, surplus

fed funds = DFF, FEDFUNDS, federal funds
federal funds = DFF, FEDFUNDS
policy rate = DFF, FEDFUNDS, federal funds
interest rates = DGS10, DFF, FEDFUNDS, market yield, interest rate, treasury bill, treasury constant, federal funds, loan rate, spot rate
interest rate = DGS10, DFF, FEDFUNDS, market yield, treasury bill, treasury constant, federal funds, loan rate, spot rate
treasury = market yield, treasury
treasuries = market yield, treasury
yields = market yield, yield
yield curve = T10Y2Y, T10Y3M, market yield
tips = inflation indexed
real yield = DFII10, inflation indexed
real yields = DFII10, inflation indexed
spread = T10Y2Y, T10Y3M, minus
yield spread = T10Y2Y, T10Y3M, minus
term spread = T10Y2Y, T10Y3M
2s10s = T10Y2Y
3m10y = T10Y3M
us2y = DGS2
us10y = DGS10
us30y = DGS30
`;

/** Maturities: a number and a unit, the number in words, and ids; `10y` and `ten year` mean the same. */
const maturities = `
1 month, one, DGS1MO
3 month, three, DGS3MO, TB3MS
6 month, six, DGS6MO, TB6MS
1 year, one, DGS1
2 year, two, DGS2
3 year, three, DGS3
5 year, five, DGS5
7 year, seven, DGS7
10 year, ten, DGS10
20 year, twenty, DGS20
30 year, thirty, DGS30
`;

function maturityLines(line: string): readonly string[] {
  const [maturity = '', word, first, ...others] = line.split(', ');
  const [count, unit = ''] = maturity.split(' ');
  const meant = [first, ...others, maturity].join(', ');
  return [`${count}${unit.charAt(0)} = ${meant}`, `${word} ${unit} = ${meant}`, `${maturity} = ${first}`];
}

/** The meanings of a phrase: ids, the likeliest first, and title phrases. */
export type Meaning = { readonly ids: readonly string[]; readonly phrases: readonly string[] };

/** The meanings of phrases in lower case, the words in these phrases, and the most words in one. */
export const synonyms = readSynonyms();

function readSynonyms() {
  const linesOf = (text: string) => text.trim().split(/\n+/);
  const isId = (text: string) => text === text.toUpperCase() && /[A-Z]/.test(text);
  const meanings = new Map<string, Meaning>();
  for (const line of [...linesOf(lines), ...linesOf(maturities).flatMap(maturityLines)]) {
    const [typed = '', meant = ''] = line.split(' = ');
    const texts = meant.split(', ');
    meanings.set(typed, { ids: texts.filter(isId), phrases: texts.filter((text) => !isId(text)) });
  }
  const phrases = [...meanings.keys()].map((typed) => typed.split(' '));
  return { meanings, words: new Set(phrases.flat()), longest: Math.max(...phrases.map((one) => one.length)) };
}
