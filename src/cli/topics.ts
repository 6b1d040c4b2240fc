const texts = {
  'as-of': '',
  formats: '',
  environment: '',
  'exit-codes': '',
};
/** Help topics. */
export const topics: readonly string[] = Object.keys(texts);
/** The text. */
export async function topicText(topic: string): Promise<string> {
  return texts[topic as keyof typeof texts];
}
