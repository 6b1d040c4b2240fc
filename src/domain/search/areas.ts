import { wordsOf } from './words.ts';

/**
 * Names of areas, and the codes for them in ids of international series. For searching only: codes of one area,
 * such as EA19 and EA20, are different series.
 */
const lines = `
euro area, eurozone = S0 U2 I2 I3 I4 I5 I6 I7 I8 I9 EA EA11 EA12 EA13 EA15 EA16 EA17 EA18 EA19 EA20 EA21
european union = EU EU15 EU25 EU27 EU28 D0 V3
argentina = AR ARG
australia = AU AUS
austria = AT AUT
belgium = BE BEL
brazil = BR BRA
bulgaria = BG BGR
canada = CAN
chile = CL CHL
china = CN CHN
colombia = CO COL
costa rica = CRI
croatia = HR HRV
cyprus = CY CYP
czechia, czech republic = CZ CZE
denmark = DK DNK
estonia = EE EST
finland = FI FIN
france = FR FRA
germany = DE DEU BBK
greece = GR EL GRC
hungary = HU HUN
iceland = IS ISL
india = IN IND
indonesia = ID IDN
ireland = IE IRL
israel = IL ISR
italy = IT ITA
japan = JP JPN
korea = KR KOR
latvia = LV LVA
lithuania = LT LTU
luxembourg = LU LUX
malta = MT MLT
mexico = MX MEX
netherlands, dutch = NL NLD
new zealand = NZ NZL
norway = NO NOR
poland = PL POL
portugal = PT PRT
romania = RO ROU
russia = RU RUS
slovakia = SK SVK
slovenia = SI SVN
south africa = ZA ZAF
spain, spanish = ES ESP
sweden = SE SWE
switzerland, swiss = CH CHE SECO
turkey, türkiye = TR TUR
united kingdom, britain, uk = UK GB GBR ONS
united states, usa = US USA
`;

/** The words of the names of an area, by its codes. */
const namesOf = new Map(
  lines
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [names = '', codes = ''] = line.split(' = ');
      return codes.split(' ').map((code) => [code, wordsOf(names)] as const);
    }),
);

/** Every word of a name of an area. */
export const areaWords: ReadonlySet<string> = new Set([...namesOf.values()].flat());

/** Returns the words of the areas in an id with the prefix of its source, such as `ECB:RTD.Q.S0.S.G_GDPM_TO_C.E`. */
export function areasIn(id: string): readonly string[] {
  return id.includes(':') ? id.split(/[:.]/).flatMap((part) => namesOf.get(part) ?? []) : [];
}

/** Returns the codes, as words of ids, of the areas with a word in their names that meets a condition. */
export function codesOfAreas(matches: (word: string) => boolean): readonly string[] {
  return [...namesOf].flatMap(([code, words]) => (words.some(matches) ? wordsOf(code) : []));
}
