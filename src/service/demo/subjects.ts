/** Subjects of ordinary, unwanted and hostile mail. `#` becomes a number, `@` a partner's name. */
import subjects from '../../../resources/demo/subjects.json' with { type: 'json' };

export interface Wording {
  language: string;
  text: string;
}

const wordings = (texts: Readonly<Record<string, readonly string[]>>): readonly Wording[] =>
  Object.entries(texts).flatMap(([language, list]) => list.map((text) => ({ language, text })));

export const BUSINESS = wordings(subjects.business);
export const NEWSLETTER = wordings(subjects.newsletter);
export const SERVICE = wordings(subjects.service);
export const SPAM = wordings(subjects.spam);
export const PHISHING_SINGLE = wordings(subjects.phishing);
/** Subjects that break careless displays: markup, formulas, direction overrides, emptiness, excessive length. */
export const HOSTILE: readonly string[] = subjects.hostile;
