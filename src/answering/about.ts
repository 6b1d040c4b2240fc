import type { Transformation } from '../domain/series/transformation.ts';
import { unitText } from '../domain/series/units.ts';
import type { Ask } from './answer.ts';
import { descriptionOf, knowledgeDay } from './coverage.ts';
import { type Query, transformationIn } from './question.ts';

/** A line that a file with notes has about an answer. */
type About = readonly [name: string, text: string];

/**
 * What a file with notes says about an answer besides its rows: as of which days it was known, how its values were
 * transformed, how its vintages came about, the day to which its data are covered, and the titles and units of its
 * series. Must be called after the last page.
 */
export async function aboutAnswer(query: Query, context: Ask): Promise<readonly About[]> {
  const about: About[] = [...daysAbout(query), ...valuesAbout(query)];
  const day = knowledgeDay(query) ?? context.basis.today;
  const { question, values } = query;
  const transformation = transformationIn(values);
  const hasSeries = question.reading !== undefined || 'ids' in values || 'id' in values;
  for (const { subject, covered_to, vintage_kind } of context.basis.upTo(day)) {
    const row = hasSeries ? await descriptionOf({ id: subject }, context) : undefined;
    const texts = [row?.title, row?.units, row?.source].filter((text) => text !== undefined && text !== '');
    if (texts.length > 0) about.push(['Series', `${subject}: ${texts.join('; ')}`]);
    const unit = row && unitText(transformation?.units ?? 'lin', String(row.units ?? ''));
    if (unit) about.push(['Unit', `${subject}: ${unit}`]);
    if (vintage_kind !== undefined) about.push(['Vintages', `${subject}: ${vintage_kind}`]);
    if (covered_to !== undefined) about.push(['Coverage', `${subject}: to ${covered_to}`]);
  }
  return about;
}

/** The days as of which the contents of an answer were known. */
function daysAbout({ question, values }: Query): readonly About[] {
  const days = question.asOfTexts?.(values) ?? [];
  const params = question.namedParams?.(values) ?? [];
  return [
    ...days.map((text) => ['As of', text] as const),
    ...params.map(([name, value]) => ['Parameter', `${name}: ${value}`] as const),
  ];
}

/** How the published values were transformed, and which of them were skipped. */
function valuesAbout({ values }: Query): readonly About[] {
  const { lag, beyond } = values;
  return [
    ...transformedAbout(transformationIn(values)),
    ...(typeof lag === 'number' && lag > 0 ? [['Lag', `the newest ${lag} skipped`] as const] : []),
    ...(beyond === 'repeat'
      ? [['Beyond', 'on days after the coverage the newest value that is known'] as const]
      : []),
  ];
}

function transformedAbout(transformation: Transformation | undefined): readonly About[] {
  if (transformation === undefined) return [];
  const { units, digits, aggregation } = transformation;
  const { frequency, aggregate = 'avg', partial = false } = aggregation ?? {};
  return [
    ...(frequency === undefined
      ? []
      : [
          [
            'Frequency',
            `${frequency}, ${aggregate}${partial ? ', also of periods not complete' : ''}`,
          ] as const,
        ]),
    ...(units === 'lin' ? [] : [['Transformation', `${units}, computed within each vintage`] as const]),
    ...(digits === undefined ? [] : [['Digits', String(digits)] as const]),
  ];
}
