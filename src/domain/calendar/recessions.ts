import { addDays, type Day, monthEnd } from '../values/date.ts';

/** A recession; it was not over without a last day. */
export type Recession = { readonly from: Day; readonly to?: Day };

type TurningPoint = { readonly lastDay: Day; readonly knownFrom: Day };

/**
 * Peaks and troughs of the business cycle in the United States, from nber.org ("US Business Cycle Expansions
 * and Contractions"), with the days on which NBER announced them, which it does since 1980.
 */
const chronology =
  '1857-06 1858-12,1860-10 1861-06,1865-04 1867-12,1869-06 1870-12,1873-10 1879-03,1882-03 1885-05,1887-03 1888-04,' +
  '1890-07 1891-05,1893-01 1894-06,1895-12 1897-06,1899-06 1900-12,1902-09 1904-08,1907-05 1908-06,1910-01 1912-01,' +
  '1913-01 1914-12,1918-08 1919-03,1920-01 1921-07,1923-05 1924-07,1926-10 1927-11,1929-08 1933-03,1937-05 1938-06,' +
  '1945-02 1945-10,1948-11 1949-10,1953-07 1954-05,1957-08 1958-04,1960-04 1961-02,1969-12 1970-11,1973-11 1975-03,' +
  '1980-01@1980-06-03 1980-07@1981-07-08,1981-07@1982-01-06 1982-11@1983-07-08,1990-07@1991-04-25 1991-03@1992-12-22,' +
  '2001-03@2001-11-26 2001-11@2003-07-17,2007-12@2008-12-01 2009-06@2010-09-20,2020-02@2020-06-08 2020-04@2021-07-19';

function turningPoint(text: string): TurningPoint {
  const [month, announced] = text.split('@');
  const lastDay = monthEnd(`${month}-01`);
  return { lastDay, knownFrom: announced ?? lastDay };
}

/**
 * Lists the recessions that NBER had announced by a day (without a day all), oldest first.
 * A turning point that it dated before it announced any counts from the end of its month.
 * A recession lasts from the month after the peak to the month of the trough, as in FRED's USREC.
 * It has no last day if its trough was not announced.
 */
export function recessionsOn(asOf: Day | undefined): readonly Recession[] {
  const isKnown = ({ knownFrom }: TurningPoint) => asOf === undefined || knownFrom <= asOf;
  return chronology.split(',').flatMap((cycle) => {
    const [peak, trough] = cycle.split(' ').map(turningPoint);
    if (peak === undefined || trough === undefined || !isKnown(peak)) return [];
    return [{ from: addDays(peak.lastDay, 1), ...(isKnown(trough) && { to: trough.lastDay }) }];
  });
}
