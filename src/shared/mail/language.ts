/** The language that a text is written in, guessed by its script and its most frequent words. */
import { dictionary } from '../dictionary.ts';

/** By ISO 639-1: frequent words, chosen so that related languages differ. */
const FREQUENT: Readonly<Record<string, string>> = dictionary({
  en: 'the and you of is for your with this are have we be will',
  de: 'und die der das ist sie nicht ein eine mit für ihre wir auf',
  fr: 'les des vous est pour une dans votre nous sur et le avec pas',
  es: 'que los las una para por con del su usted es el en y más',
  pt: 'que não uma para com você seu sua dos os mais em do da ao',
  it: 'che non per una del della sono con il gli di più nel le',
  nl: 'de het een van en niet dat voor met zijn uw wij is je op',
  pl: 'się nie jest na do że dla oraz przez w z od są proszę',
  tr: 've bir bu için ile çok daha olarak sizin olan veya değil',
  sv: 'och att det som för är inte med du har ett en på vi',
  da: 'og det er ikke til med har af jeg på vi at som den',
  no: 'og det er ikke til med har av jeg på vi å som den',
  fi: 'ja on ei että se mutta kun sen olet ovat voit tai jos',
  cs: 'se na je že pro není jako nebo jsou v s si které prosím',
  hu: 'és hogy nem egy az van ön meg csak mint vagy kérjük',
  ro: 'și este nu pentru care cu din sunt în vă pe să mai',
  id: 'yang dan untuk dengan dari anda ini tidak kami akan pada',
  vi: 'và của là có cho không bạn các một được này với',
});
const LANGUAGES_OF = new Map<string, string[]>();
for (const [language, words] of Object.entries(FREQUENT))
  for (const word of words.split(' ')) LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), language]);

/** From Greek on, where the other scripts are. */
const BEYOND_LATIN = /[\u0370-\uffff]/;
const shareOf = (text: string, script: RegExp): number => (text.match(script)?.length ?? 0) / text.length;

/** In this order, as Japanese also writes Chinese characters. */
const SCRIPTS: readonly [RegExp, number, (letters: string) => string | null][] = [
  [/[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 0.1, () => 'ja'],
  [/\p{Script=Hangul}/gu, 0.3, () => 'ko'],
  [/\p{Script=Han}/gu, 0.3, () => 'zh'],
  [/\p{Script=Arabic}/gu, 0.4, (letters) => (/[پچژگ]/.test(letters) ? 'fa' : 'ar')],
  [/\p{Script=Hebrew}/gu, 0.4, () => 'he'],
  [/\p{Script=Greek}/gu, 0.4, () => 'el'],
  [/\p{Script=Thai}/gu, 0.4, () => 'th'],
  [/\p{Script=Cyrillic}/gu, 0.4, cyrillic],
];

function cyrillic(letters: string): string | null {
  if (/[іїєґ]/i.test(letters)) return 'uk';
  if (/[ыэё]/i.test(letters)) return 'ru';
  return /[јљњћђ]/i.test(letters) ? 'sr' : /ъ/i.test(letters) ? 'bg' : null;
}

const MAX_READ = 4_000;
const FEWEST_WORDS = 4;
/** How many times as many words as those of the next language. */
const LEAD = 1.3;

/** An ISO 639-1 code, or null if the text is too short or no language is clearly ahead. */
export function languageOf(text: string): string | null {
  const words =
    text
      .slice(0, MAX_READ)
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{M}]+/gu) ?? [];
  const letters = words.join('');
  if (letters.length < 12) return null;
  if (BEYOND_LATIN.test(letters))
    for (const [script, share, language] of SCRIPTS)
      if (shareOf(letters, script) >= share) return language(letters);
  const counts = new Map<string, number>();
  for (const word of words)
    for (const language of LANGUAGES_OF.get(word) ?? [])
      counts.set(language, (counts.get(language) ?? 0) + 1);
  const [best, next] = [...counts].sort((a, b) => b[1] - a[1]);
  if (best === undefined || best[1] < FEWEST_WORDS) return null;
  return best[1] >= LEAD * (next?.[1] ?? 0) ? best[0] : null;
}
