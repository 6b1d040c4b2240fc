/** A variable of the Philadelphia Fed's Real-Time Data Set. */
export type RealTimeVariable = {
  readonly id: string;
  readonly title: string;
  readonly frequency: 'M' | 'Q';
  /** The frequencies of its vintages, each a workbook; the usual one first. */
  readonly vintages: readonly ('M' | 'Q')[];
};

/** Each line: id, frequency of the data, frequencies of the vintages, title. */
const table = `
BASEBASA M Q Monetary base
CPI M Q Consumer price index, quarterly vintages
CUM M M Capacity utilization rate: manufacturing
CUT M M Capacity utilization rate: total
DIV Q Q Dividends
EMPLOY M M Nonfarm payroll employment
H M M Index of aggregate weekly hours: total
HG M M Index of aggregate weekly hours: goods-producing
HS M M Index of aggregate weekly hours: service-producing
HSTARTS M M Housing starts
IPM M M Industrial production index: manufacturing
IPT M M Industrial production index: total
LFC M M Civilian labor force
LFPART M M Labor force participation rate, constructed
M1 M Q M1 money stock
M2 M Q M2 money stock
NBRBASA M Q Nonborrowed reserves
NBRECBASA M Q Nonborrowed reserves plus extended credit
NCON Q Q Nominal personal consumption expenditures
NCONG Q QM Nominal personal consumption expenditures: goods
NCONGM M M Nominal personal consumption expenditures: goods, monthly
NCONHH Q QM Nominal household consumption expenditures
NCONHHM M M Nominal household consumption expenditures, monthly
NCONSHH Q QM Nominal household consumption expenditures for services
NCONSHHM M M Nominal household consumption expenditures for services, monthly
NCONSNP Q QM Nominal final consumption expenditures of nonprofit institutions
NCONSNPM M M Nominal final consumption expenditures of nonprofit institutions, monthly
NCPROFAT Q QM Nominal corporate profits after tax without IVA and CCAdj
NCPROFATW Q QM Nominal corporate profits after tax with IVA and CCAdj
NDPI Q Q Nominal disposable personal income
NOUTPUT Q QM Nominal GNP/GDP
NPI Q Q Nominal personal income
NPSAV Q Q Nominal personal saving
OLI Q Q Other labor income
OPH Q QM Output per hour: business sector
P Q QM Price index for GNP/GDP
PCON Q Q Price index for personal consumption expenditures, constructed
PCONG Q QM Price index for personal consumption expenditures: goods
PCONGM M M Price index for personal consumption expenditures: goods, monthly
PCONHH Q QM Price index for household consumption expenditures
PCONHHM M M Price index for household consumption expenditures, monthly
PCONSHH Q QM Price index for household consumption expenditures for services
PCONSHHM M M Price index for household consumption expenditures for services, monthly
PCONSNP Q QM Price index for final consumption expenditures of nonprofit institutions
PCONSNPM M M Price index for final consumption expenditures of nonprofit institutions, monthly
PCONX Q QM Core price index for personal consumption expenditures
PCPI M M Consumer price index, monthly vintages
PCPIX M M Core consumer price index
PIMP Q Q Price index for imports of goods and services
PINTI Q Q Personal interest income
PINTPAID Q Q Interest paid by consumers
POP M M Civilian noninstitutional population
PPPI M M Producer price index, finished goods
PPPIX M M Core producer price index, finished goods
PROPI Q Q Proprietors' income
PTAX Q Q Personal tax and nontax payments
RATESAV Q Q Personal saving rate, constructed
RCON Q QM Real personal consumption expenditures: total
RCOND Q QM Real personal consumption expenditures: durable goods
RCONDM M M Real personal consumption expenditures: durable goods, monthly
RCONG Q QM Real personal consumption expenditures: goods
RCONGM M M Real personal consumption expenditures: goods, monthly
RCONHH Q QM Real household consumption expenditures
RCONHHM M M Real household consumption expenditures, monthly
RCONM M M Real personal consumption expenditures: total, monthly
RCONND Q QM Real personal consumption expenditures: nondurable goods
RCONNDM M M Real personal consumption expenditures: nondurable goods, monthly
RCONS Q QM Real personal consumption expenditures: services
RCONSHH Q QM Real household consumption expenditures for services
RCONSHHM M M Real household consumption expenditures for services, monthly
RCONSM M M Real personal consumption expenditures: services, monthly
RCONSNP Q QM Real final consumption expenditures of nonprofit institutions
RCONSNPM M M Real final consumption expenditures of nonprofit institutions, monthly
RENTI Q Q Rental income of persons
REX Q QM Real exports of goods and services
RG Q QM Real government consumption and gross investment: total
RGF Q QM Real government consumption and gross investment: federal
RGSL Q QM Real government consumption and gross investment: state and local
RIMP Q QM Real imports of goods and services
RINVBF Q QM Real gross private domestic investment: nonresidential
RINVCHI Q QM Real gross private domestic investment: change in private inventories
RINVRESID Q QM Real gross private domestic investment: residential
RNX Q QM Real net exports of goods and services
ROUTPUT Q QM Real GNP/GDP
RUC M Q Unemployment rate
SSCONTRIB Q Q Personal contributions for social insurance
TRANPF Q Q Personal transfer payments to foreigners
TRANR Q Q Transfer payments
TRBASA M Q Total reserves
ULC Q QM Unit labor costs: business sector
WSD Q Q Wage and salary disbursements
YNCFC Q QM Consumption of fixed capital
YNCFCG Q QM Consumption of fixed capital: government
YNCFCP Q QM Consumption of fixed capital: private
YNCOMPEP Q QM Compensation of employees, paid
YNCPRFATW Q QM Corporate profits after tax with IVA and CCAdj
YNCPRFW Q QM Corporate profits with IVA and CCAdj
YNCTAX Q QM Taxes on corporate income
YNDPAID Q QM Net dividends paid
YNGDI Q QM Nominal gross domestic income
YNGSUB Q QM Government subsidies
YNIPAID Q QM Net interest and miscellaneous payments
YNOS Q QM Net operating surplus
YNOSG Q QM Net operating surplus: government
YNOSP Q QM Net operating surplus: private
YNPINCW Q QM Proprietors' income with IVA and CCAdj
YNRINC Q QM Rental income with CCAdj
YNSD Q QM Statistical discrepancy
YNSWS Q QM Supplements to wages and salaries
YNTAXR Q QM Taxes on production and imports
YNTRPAY Q QM Business current transfer payments, net
YNUCPRFW Q QM Undistributed corporate profits with IVA and CCAdj
YNWS Q QM Wages and salaries
YPDGDP Q QM Implicit price deflator of GDP
YRGDI Q QM Real gross domestic income, deflated by that of GDP
`;

/** The variables with a vintage a column, by id. */
export const realTimeVariables: ReadonlyMap<string, RealTimeVariable> = new Map(
  table
    .trim()
    .split('\n')
    .map((line) => {
      const [id = '', frequency, vintages = '', ...title] = line.split(' ');
      const readAs = (letter: string | undefined) => (letter === 'M' ? 'M' : 'Q');
      return [
        id,
        { id, frequency: readAs(frequency), vintages: [...vintages].map(readAs), title: title.join(' ') },
      ];
    }),
);
