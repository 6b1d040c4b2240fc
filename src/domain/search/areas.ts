import { beginning } from './matching.ts';
import { longestWord, type SearchedSeries, wordsOf } from './words.ts';

/**
 * Names of areas, and the codes for them in ids of international series. For searching only: codes of one area,
 * such as EA19 and EA20, are different series.
 */
const lines = `
euro area, eurozone = S0 U2 I2 I3 I4 I5 I6 I7 I8 I9 EA EA11 EA12 EA13 EA15 EA16 EA17 EA18 EA19 EA20 EA21
european union, eu = EU EU15 EU25 EU27 EU28 D0 V3
argentina, argentine = AR ARG
australia, australian = AU AUS
austria, austrian = AT AUT
belgium, belgian = BE BEL
brazil, brazilian = BR BRA
bulgaria, bulgarian = BG BGR
canada, canadian = CAN
chile, chilean = CL CHL
china, chinese = CN CHN
colombia, colombian = CO COL
costa rica = CRI
croatia, croatian = HR HRV
cyprus = CY CYP
czechia, czech republic, czech = CZ CZE
denmark, danish = DK DNK
estonia, estonian = EE EST
finland, finnish = FI FIN
france, french = FR FRA
germany, german = DE DEU BBK
greece, greek = GR EL GRC
hungary, hungarian = HU HUN
iceland, icelandic = IS ISL
india, indian = IN IND
indonesia, indonesian = ID IDN
ireland, irish = IE IRL
israel, israeli = IL ISR
italy, italian = IT ITA
japan, japanese = JP JPN
korea, korean, south korea = KR KOR
latvia, latvian = LV LVA
lithuania, lithuanian = LT LTU
luxembourg = LU LUX
malta = MT MLT
mexico, mexican = MX MEX
netherlands, dutch = NL NLD
new zealand = NZ NZL
norway, norwegian = NO NOR
poland, polish = PL POL
portugal, portuguese = PT PRT
romania, romanian = RO ROU
russia, russian = RU RUS
slovakia, slovak = SK SVK
slovenia, slovenian = SI SVN
south africa = ZA ZAF
spain, spanish = ES ESP
sweden, swedish = SE SWE
switzerland, swiss = CH CHE SECO
turkey, türkiye, turkish = TR TUR
united kingdom, britain, british, uk, u k = UK GB GBR ONS
united states, united states america, usa, us, u s, american, new mexico = US USA
`;

/** Areas in titles of FRED that have no code here. */
const others = `
afghanistan, albania, algeria, angola, armenia, aruba, azerbaijan, bahamas, bahrain, bangladesh, barbados, belarus, belize,
benin, bhutan, bolivia, bosnia, botswana, brunei, burkina faso, burundi, cambodia, cameroon, cape verde, central african,
chad, comoros, congo, cuba, djibouti, dominican, ecuador, egypt, el salvador, equatorial guinea, eritrea, ethiopia, fiji,
gabon, gambia, ghana, grenada, guatemala, guinea, guyana, haiti, honduras, hong kong, iran, iraq, jamaica, jordan,
kazakhstan, kenya, kosovo, kuwait, kyrgyz, laos, lebanon, lesotho, liberia, libya, macao, macedonia, madagascar, malawi,
malaysia, maldives, mali, mauritania, mauritius, moldova, mongolia, montenegro, morocco, mozambique, myanmar, namibia,
nepal, nicaragua, niger, nigeria, oman, pakistan, panama, papua new guinea, paraguay, peru, philippines, qatar, rwanda,
samoa, saudi arabia, senegal, serbia, seychelles, sierra leone, singapore, somalia, sri lanka, sudan, suriname, swaziland,
syria, taiwan, tajikistan, tanzania, thailand, togo, tonga, trinidad, tunisia, turkmenistan, uganda, ukraine,
united arab emirates, uruguay, uzbekistan, venezuela, vietnam, yemen, zambia, zimbabwe
`;

/** An area: its names, each as words, and its codes. */
export type Area = { readonly names: readonly (readonly string[])[]; readonly codes: readonly string[] };

const areas: readonly Area[] = [
  ...lines
    .trim()
    .split('\n')
    .map((line) => {
      const [names = '', codes = ''] = line.split(' = ');
      return { names: names.split(', ').map(wordsOf), codes: codes.split(' ') };
    }),
  ...others.split(',').map((name) => ({ names: [wordsOf(name)], codes: [] })),
];

const byCode = new Map(areas.flatMap((area) => area.codes.map((code) => [code, area] as const)));

const byName = new Map(areas.flatMap((area) => area.names.map((words) => [words.join(' '), area] as const)));

const longestName = Math.max(...areas.flatMap(({ names }) => names.map(({ length }) => length)));

const firstWords = new Set(areas.flatMap(({ names }) => names.map(([first = '']) => first)));

/** Every word of a name of an area. */
export const areaWords: ReadonlySet<string> = new Set(areas.flatMap(({ names }) => names.flat()));

/** Finds the area that words name from a place on, by its longest name, with the number of its words. */
export function areaAt(
  words: readonly string[],
  at: number,
): { readonly area: Area; readonly length: number } | undefined {
  if (!firstWords.has(words[at] ?? '')) return undefined;
  for (let length = Math.min(longestName, words.length - at); length > 0; length -= 1) {
    const area = byName.get(words.slice(at, at + length).join(' '));
    if (area !== undefined) return { area, length };
  }
  return undefined;
}

/** Returns the areas that the words of a title name, each by its first name: `france;new zealand`. */
export function areasInTitle(words: readonly string[]): string {
  return [...areasNamed(words)].map(({ names: [name = []] }) => name.join(' ')).join(';');
}

function areasNamed(words: readonly string[]): ReadonlySet<Area> {
  const named = new Set<Area>();
  for (let at = 0; at < words.length; at += 1) {
    const found = areaAt(words, at);
    if (found === undefined) continue;
    named.add(found.area);
    at += found.length - 1;
  }
  return named;
}

/** The areas of a series; `implied` by an id of FRED without any. */
type AreasOfSeries = { readonly named: ReadonlySet<Area>; readonly implied: Area | undefined };

const ofFred: AreasOfSeries = { named: new Set(), implied: byCode.get('US') };

/** Returns the areas that an id names, and those that a title names, as `areasInTitle` gives them. */
export function areasOf(id: string, title: string): AreasOfSeries {
  const hasPrefix = id.includes(':');
  if (!hasPrefix && title === '') return ofFred;
  const inTitle = title.split(';').flatMap((name) => byName.get(name) ?? []);
  const named = new Set([...areasInId(id), ...inTitle]);
  return { named, implied: named.size > 0 || hasPrefix ? undefined : ofFred.implied };
}

/** Tells whether a series is about one of some areas; undefined if it says nothing of its area, or there are none. */
export function isAbout(asked: readonly Area[], { named, implied }: AreasOfSeries): boolean | undefined {
  if (asked.length === 0 || (named.size === 0 && implied === undefined)) return undefined;
  return asked.some((area) => (implied === undefined ? named.has(area) : implied === area));
}

/** Names the areas of a text that are not found, which a series of another area shows; none without such a series. */
export function areasNotFound(
  text: string,
  found: readonly Pick<SearchedSeries, 'id' | 'title'>[],
): readonly string[] {
  const asked = [...areasNamed(wordsOf(text))];
  // A search finds series of other areas only if it finds none of these.
  const isElsewhere = found.some(
    ({ id, title }) => isAbout(asked, areasOf(id, areasInTitle(wordsOf(title)))) === false,
  );
  const written = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
  return isElsewhere ? asked.map(({ names: [name = []] }) => name.map(written).join(' ')) : [];
}

/** Returns the words of the areas in an id with the prefix of its source, such as `ECB:RTD.Q.S0.S.G_GDPM_TO_C.E`. */
export function areasIn(id: string): readonly string[] {
  const named = areasInId(id);
  return named.length === 0 ? none : named.flatMap(({ names }) => names.flat());
}

const none: readonly never[] = [];

function areasInId(id: string): readonly Area[] {
  return id.includes(':') ? id.split(/[:.]/).flatMap((part) => byCode.get(part) ?? []) : none;
}

/** Returns the codes, as words of ids, of the areas with a word in their names that begins so. */
export function codesOfAreas(starts: readonly string[]): readonly string[] {
  const begins = starts.map(beginning);
  const isAsked = (word: string) => begins.some((isBegun) => isBegun(word));
  return areas.filter(({ names }) => names.flat().some(isAsked)).flatMap(codesOf);
}

/** Lists words of which every series about an area has one. */
export function wordsAbout(area: Area): readonly string[] {
  return [...codesOf(area), ...area.names.flatMap(longestWord)];
}

function codesOf({ codes }: Area): readonly string[] {
  return codes.flatMap(wordsOf);
}
