/** A mail's text as displayed, divided into its own and that of the earlier mails that it quotes. */
import { readHtml } from '../../mail/html.ts';
import { onceFor } from '../../remember.ts';

/** Lines with which mail programs introduce an earlier mail. */
const INTRODUCTION =
  /^[ \t>]*(?:On .{5,200} wrote:|Am .{5,200} schrieb\b.{0,100}:|Le .{5,200} a écrit\s?:|El .{5,200} escribió:|-{2,20}\s?(?:Original Message|Forwarded message|Ursprüngliche Nachricht|Message d'origine)\s?-{2,20}|Begin forwarded message:|_{10,}[ \t]*$|(?:From|Von|De): .{3,300}$)/gim;
const MAX_THREADS = 50;
/** A line “From:” so near below another introduction belongs to it. */
const NEAR = 200;

interface Bodies {
  html: string;
  text: string;
}

/** The text of the HTML, with blocks on lines of their own. */
export const shownText = onceFor(({ html }: Bodies): string =>
  readHtml(html, 0)
    .shown.replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .trim(),
);

/** The mail's own text first; empty if it only quotes. */
export const threadsOf = onceFor((mail: Bodies): readonly string[] => {
  const shown = mail.html === '' ? mail.text : shownText(mail);
  const starts: number[] = [];
  for (const { index } of shown.matchAll(INTRODUCTION)) {
    if (starts.length >= MAX_THREADS) break;
    if (starts.length === 0 || index - starts.at(-1)! > NEAR) starts.push(index);
  }
  return [0, ...starts].map((start, index) => shown.slice(start, starts[index]).trim());
});
