import { type Check, check, type FindingPlace, inAttachment, inBody } from './check.ts';
import type { AttachmentTrait, CheckedAttachment, PreparedMail } from './prepared-mail.ts';

const EXECUTABLE =
  /\.(?:exe|scr|pif|com|bat|cmd|cpl|msi|msix|msp|dll|js|jse|vbs|vbe|vba|wsf|wsh|hta|ps1|psm1|jar|lnk|url|scf|inf|reg|chm|hlp|sct|application|appref-ms|iqy|slk|xll|apk|dmg|pkg|mobileconfig|library-ms|settingcontent-ms|rdp)\s*$/i;
/** Programs that people also send each other: sources, settings, links. */
const OFTEN_MEANT = /\.(?:js|bat|cmd|ps1|reg|jar|url|rdp|mobileconfig)\s*$/i;
/** The same, in an archive: what a folder of sources or a program holds besides. */
const OFTEN_PACKED = /\.(?:js|bat|cmd|ps1|psm1|reg|jar|url|dll|inf|chm|hlp|com)\s*$/i;
const DISK = /\.(?:iso|img|vhd|vhdx|udf|daa|one|onepkg|wim)\s*$/i;
const DISK_TYPE = /x-iso9660-image|x-vhdx?$|x-ms-wim|onenote/;
const MACRO = /\.(?:docm|dotm|xlsm|xltm|xlsb|xlam|pptm|potm|ppam|sldm)\s*$/i;
const PAGE = /\.(?:x?html?|shtml?|mht|mhtml)\s*$/i;
const DOCUMENT = /\.(?:pdf|docx?|xlsx?|pptx?|rtf|txt|jpe?g|png|gif|csv)(?=[\s._-]*\.)/i;
const PROGRAM_TYPE =
  /x-(?:ms)?dos|x-msdownload|x-dosexec|portable-executable|x-ms-shortcut|x-executable|x-mach|java-archive/i;

/** Attachments, and files in archives, that are looked at. */
const MOST_ATTACHMENTS = 200;
const MOST_FILES = 2_000;
const MAX_NAME = 80;

const nameOf = ({ declaredName, filename }: CheckedAttachment): string =>
  declaredName?.trim() ? declaredName : filename;
const attached = ({ attachments }: PreparedMail): CheckedAttachment[] =>
  attachments.slice(0, MOST_ATTACHMENTS);

interface CheckedFile {
  name: string;
  /** By its bytes; '' if they show none. */
  type: string;
  place: FindingPlace;
  /** “invoice.exe” in “invoice.zip” */
  words: string;
  archive: CheckedAttachment | null;
}

const quote = (name: string): string => `“${name.slice(0, MAX_NAME)}”`;

const fileOf = (attachment: CheckedAttachment): CheckedFile => ({
  name: nameOf(attachment),
  type: attachment.contentType ?? '',
  place: inAttachment(nameOf(attachment)),
  words: quote(nameOf(attachment)),
  archive: null,
});

const packedFiles = (mail: PreparedMail): CheckedFile[] =>
  attached(mail)
    .flatMap((archive) =>
      archive.members.map(({ name, path, contentType }) => ({
        name,
        type: contentType ?? '',
        place: inAttachment(nameOf(archive), path),
        words: `${quote(name)} in ${quote(nameOf(archive))}`,
        archive,
      })),
    )
    .slice(0, MOST_FILES);

const isProgram = ({ name, type }: CheckedFile): boolean => EXECUTABLE.test(name) || PROGRAM_TYPE.test(type);

/** A check of one kind of file, attached itself or in an archive. */
const fileCheck = (
  id: string,
  label: string,
  test: (file: CheckedFile) => boolean,
  say: (file: CheckedFile) => { sentence: string; weight: number },
): Check =>
  check(id, label, 0, (mail) => {
    const file = [...attached(mail).map(fileOf), ...packedFiles(mail)].find(test);
    return file === undefined ? null : { ...say(file), place: file.place };
  });

const attachmentCheck = (
  id: string,
  label: string,
  find: (mail: PreparedMail, attachment: CheckedAttachment) => { sentence: string; weight: number } | null,
): Check =>
  check(id, label, 0, (mail) => {
    for (const attachment of attached(mail)) {
      const finding = find(mail, attachment);
      if (finding !== null) return { ...finding, place: inAttachment(nameOf(attachment)) };
    }
    return null;
  });

/** What a trait lets a document do; rich text hardly ever has objects, and what has them is made to attack. */
const traitCheck = (
  id: string,
  label: string,
  trait: AttachmentTrait,
  words: string,
  weight: (attachment: CheckedAttachment) => number,
): Check =>
  attachmentCheck(id, label, (mail, attachment) =>
    attachment.traits.includes(trait)
      ? {
          sentence: `${quote(nameOf(attachment))} ${words}`,
          weight: weight(attachment) * (mail.isAnswer ? 0.4 : 1),
        }
      : null,
  );

const PASSWORD_WORDS = [
  'pass(?:word|code|phrase)?|pwd|passwort|kennwort|zugangscode|mot de passe|contrase[nñ]a|clave|senha|palavra-passe',
  'parola(?: d.ordine)?|wachtwoord|has[lł]o|heslo|jelsz[oó]|parol[aăāė]|l[öo]senord|passord|adgangskode|kodeord|salasana',
  'lozinka|geslo|şifre|sifre|parola|m[aậ]t kh[aẩ]u|kata sandi|kode sandi|пароль|пароля|парола|лозинка|κωδικ[οό]ς?|סיסמה|סיסמא',
  'كلمة (?:المرور|السر)|الرقم السري|رمز|पासवर्ड|รหัสผ่าน|密码|密碼|口令|解压码|パスワード|暗証番号|비밀번호|암호',
].join('|');
/** The word, at most some more, and what follows a colon, an equals sign or "is"; or what has a digit directly after it. */
const PASSWORD = new RegExp(
  `(?<![\\p{Script=Latin}\\p{Script=Greek}\\p{Script=Cyrillic}])(?:${PASSWORD_WORDS})(?:[^\\n\\r:=：]{0,40}(?:[:=：]|\\s(?:is|ist|lautet|est|es|é|è|jest|je|to)\\s)\\s{0,3}|[\\s«"“„(]{1,3}(?=\\S{0,20}\\d))\\S{2,30}`,
  'iu',
);

const SECRET = 'so no gateway could look into it';

export const ATTACHMENTS_CHECKS: readonly Check[] = [
  attachmentCheck('attachments.program', 'Program attached', (mail, attachment) =>
    !isProgram({ ...fileOf(attachment), type: `${attachment.contentType} ${attachment.mimeType}` }) ||
    (mail.isAnswer && /\.(?:js|bat|cmd|ps1|reg|jar|url)\s*$/i.test(nameOf(attachment)))
      ? null
      : {
          sentence: `${quote(nameOf(attachment))} is a program: opening it runs it`,
          weight: OFTEN_MEANT.test(nameOf(attachment)) ? 3 : 5,
        },
  ),
  check('attachments.packed-program', 'Program in an archive', 0, (mail) => {
    const programs = packedFiles(mail).filter(isProgram);
    const file = programs.find(({ name }) => !OFTEN_PACKED.test(name)) ?? programs[0];
    if (file === undefined) return null;
    const isAlone = (file.archive?.members.length ?? 0) <= 5;
    return {
      sentence: `${file.words} is a program: opening it runs it`,
      place: file.place,
      weight:
        (OFTEN_PACKED.test(file.name) ? (isAlone ? 2 : 0.3) : isAlone ? 5 : 1.5) * (mail.isAnswer ? 0.4 : 1),
    };
  }),
  fileCheck(
    'attachments.double-extension',
    'Name with two extensions',
    ({ name }) => DOCUMENT.test(name) && (EXECUTABLE.test(name) || DISK.test(name) || PAGE.test(name)),
    ({ name, words }) => ({
      sentence: `${words} looks like a document and is none`,
      weight: PAGE.test(name) ? 3 : 5,
    }),
  ),
  fileCheck(
    'attachments.turned-name',
    'Name that is shown in another order',
    ({ name }) => /[\u202a-\u202e\u2066-\u2069]/.test(name) || /(?<!\s)\s{8,}\.[a-z]{2,4}\s*$/i.test(name),
    ({ archive }) => ({
      sentence: `The name of ${archive === null ? 'an attachment' : 'a file in an archive'} hides its real ending`,
      weight: 4,
    }),
  ),
  fileCheck(
    'attachments.other-type',
    'Name and content differ',
    ({ name, type }) => {
      if (type === '') return false;
      if (/\.pdf\s*$/i.test(name)) return !/pdf|postscript/i.test(type);
      if (/\.(?:jpe?g|png|gif|bmp|webp)\s*$/i.test(name)) return !/^image\//i.test(type);
      return /\.(?:docx?|xlsx?|pptx?)\s*$/i.test(name)
        ? PROGRAM_TYPE.test(type) || /html|rtf|zip-encrypted|rar|7z/i.test(type)
        : false;
    },
    ({ words, type }) => ({
      sentence: `${words} holds something else than its name says: ${type}`,
      weight: PROGRAM_TYPE.test(type) ? 5 : 2,
    }),
  ),
  attachmentCheck('attachments.page', 'Web page attached', (mail, attachment) => {
    const isDrawing = /\.svg\s*$/i.test(nameOf(attachment));
    const isPage =
      PAGE.test(nameOf(attachment)) ||
      isDrawing ||
      (attachment.mimeType === 'text/html' && attachment.declaredName !== null);
    const acts = mail.active.forms + mail.active.scripts + mail.active.handlers > 0;
    if (attachment.inline || !isPage || (isDrawing && !acts)) return null;
    return {
      sentence: acts
        ? `${quote(nameOf(attachment))} is a web page with a form or a program: it acts when it is opened`
        : `${quote(nameOf(attachment))} is a web page, which opens outside of the mail program’s protection`,
      weight: (acts ? 3.5 : 2) * (mail.isAnswer ? 0.4 : 1),
    };
  }),
  traitCheck(
    'attachments.smuggling',
    'Page that makes a file',
    'smuggling',
    'makes a file out of its own text when it is opened, so that no gateway sees the file',
    () => 3,
  ),
  fileCheck(
    'attachments.disk',
    'Disk image or notebook attached',
    ({ name, type }) => DISK.test(name) || DISK_TYPE.test(type),
    ({ words }) => ({
      sentence: `${words} carries files past the warnings for downloaded ones`,
      weight: 3.5,
    }),
  ),
  attachmentCheck('attachments.macro', 'Document with macros', (_mail, attachment) =>
    MACRO.test(nameOf(attachment)) ||
    /macroenabled/i.test(attachment.mimeType) ||
    attachment.traits.includes('macros')
      ? { sentence: `${quote(nameOf(attachment))} can run macros`, weight: 2.5 }
      : null,
  ),
  traitCheck(
    'attachments.template',
    'Document that loads from elsewhere',
    'template',
    'loads a template or an object from another server as soon as it is opened',
    () => 4,
  ),
  traitCheck(
    'attachments.objects',
    'Document with embedded objects',
    'objects',
    'has embedded objects, which can start programs',
    ({ contentType }) => (contentType === 'application/rtf' ? 3 : 0.7),
  ),
  traitCheck('attachments.script', 'PDF with a script', 'script', 'is a PDF that runs a script', () => 1.2),
  traitCheck(
    'attachments.launch',
    'PDF that starts a program',
    'launch',
    'is a PDF that starts a program',
    () => 4,
  ),
  traitCheck(
    'attachments.embedded',
    'PDF with files in it',
    'embedded',
    'is a PDF that carries other files',
    () => 0.5,
  ),
  check('attachments.locked', 'Encrypted file', 2, (mail) => {
    const attachment = attached(mail).find(
      ({ encryption }) => encryption !== null && !/smime|pgp/.test(encryption),
    );
    if (attachment === undefined) return null;
    const password = PASSWORD.exec(mail.shownText.slice(0, 20_000))?.[0];
    if (password !== undefined)
      return {
        sentence: `${quote(nameOf(attachment))} is encrypted and the mail tells the password: nobody but its reader can look into it`,
        place: inBody(password),
        weight: 3.5,
      };
    const isPicture = mail.words.length - mail.subjectWords.length < 5 && hasPicture(mail);
    return {
      sentence: isPicture
        ? `${quote(nameOf(attachment))} is encrypted, ${SECRET}; whether the picture beside it tells the password is unknown`
        : `${quote(nameOf(attachment))} is encrypted, ${SECRET}`,
      place: inAttachment(nameOf(attachment)),
      weight: isPicture ? 2 : 1,
    };
  }),
  check('attachments.odd-archive', 'Archive of an unusual kind', 2, (mail) => {
    const attachment = attached(mail).find((file) =>
      /\.(?:ace|arj|cab|lzh|lha|z|uue|r\d\d|xz|img|rar)\s*$/i.test(nameOf(file)),
    );
    return attachment === undefined || mail.isAnswer
      ? null
      : {
          sentence: `${quote(nameOf(attachment))} is an archive that few people use and few gateways open`,
          place: inAttachment(nameOf(attachment)),
          weight: /\.rar\s*$/i.test(nameOf(attachment)) ? 1 : 2.5,
        };
  }),
  check('attachments.only', 'Hardly a word beside the attachment', 1.6, (mail) => {
    const attachment = attached(mail).find(
      (file) => !file.inline && /\.(?:pdf|docx?|xlsx?|rtf|zip|html?|png|jpe?g)\s*$/i.test(nameOf(file)),
    );
    return attachment === undefined ||
      mail.isAnswer ||
      mail.isNotice ||
      mail.words.length - mail.subjectWords.length > 25
      ? null
      : {
          sentence: `The mail says next to nothing; what it wants stands in ${quote(nameOf(attachment))}`,
          place: inAttachment(nameOf(attachment)),
        };
  }),
];

const hasPicture = ({ html, attachments }: PreparedMail): boolean =>
  /<img\b/i.test(html) || attachments.some(({ mimeType }) => mimeType.startsWith('image/'));
