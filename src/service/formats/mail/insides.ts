/** What is in the attachments of a mail beyond their names: links, QR codes, what runs or loads something. */
import { hash } from 'node:crypto';
import { type PlacedLink, textUrls } from '#shared/mail/mail-links.ts';
import { plural } from '#shared/model/format.ts';
import { listedMembers } from '../containers/members.ts';
import { officeContents } from '../documents/office.ts';
import { type PdfImage, pdfContents } from '../documents/pdf-contents.ts';
import { QrCodes } from '../documents/qr.ts';
import type { MailAttachment } from './types.ts';

const MOST_IMAGES = 30;
const MOST_LINKS = 2_000;
/** Sentences about what was not looked into. */
const MOST_NAMED = 5;
/** Images in the addresses of the HTML, and characters of one. */
const MOST_IN_HTML = 20;
const MAX_IN_HTML = 4 * 1024 * 1024;
const SHOWN = 80;

const IMAGE = /^image\/(?:png|jpeg|gif|bmp)$/;
const OTHER_IMAGE = /^image\/(?:webp|tiff|hei[cf]|avif)$/;
const IN_HTML = /data:(image\/(?:png|jpe?g|gif|bmp))(?:;[\w=-]{1,40})*;base64,([\w+/=\s%]+)/gi;

const MAKES_FILE = /\b(?:createObjectURL|msSave(?:OrOpen)?Blob)\b|\bnew\s+(?:Blob|File)\s*\(|\.download\s*=/;
const DECODES = /\b(?:atob|fromCharCode|charCodeAt|fromCodePoint|Uint8Array|base64)\b/;

/** Whether a page makes a file of data in its program, as a download that no gateway saw (HTML smuggling). */
export const isSmuggling = (page: string): boolean => MAKES_FILE.test(page) && DECODES.test(page);

/** A text that a phone opens as an address. */
const WEB_ADDRESS = /^(?:[a-z][a-z\d+.-]{1,30}:\S+|www\.\S+)$/i;

export class Insides {
  readonly links: PlacedLink[] = [];
  readonly #qr = new QrCodes();
  readonly #unsearched: string[] = [];
  #images = 0;
  #skipped = 0;

  /** Adds what is found to the attachment and to `links`. */
  async look(attachment: MailAttachment, bytes: Buffer): Promise<void> {
    const { contentType: type, filename: name } = attachment;
    if (type === null) return;
    const { members, unread } = listedMembers(type, bytes);
    attachment.members.push(...members);
    if (unread !== null) this.#note(name, `is listed in part: ${unread}`);
    if (IMAGE.test(type)) await this.#image(bytes, type, name, attachment.sha256);
    else if (OTHER_IMAGE.test(type)) this.#skipped += 1;
    else if (type === 'application/pdf') await this.#pdf(attachment, bytes);
    else this.#document(attachment, officeContents(type, bytes), name);
  }

  /** Images that the HTML holds itself. */
  async lookInHtml(html: string): Promise<void> {
    if (!html.includes('data:image/')) return;
    let count = 0;
    for (const [, type = '', code = ''] of html.matchAll(IN_HTML)) {
      count += 1;
      if (count > MOST_IN_HTML || code.length > MAX_IN_HTML) {
        this.#skipped += 1;
        continue;
      }
      const plain = code.includes('%') ? code.replace(/%(?:2B|2F|3D|0[AD])/gi, decodeURIComponent) : code;
      const bytes = Buffer.from(plain, 'base64');
      await this.#image(bytes, type.toLowerCase().replace('jpg', 'jpeg'), 'the HTML', null);
    }
  }

  /** What was not looked into, as sentences. */
  unsearched(): string[] {
    const images = this.#skipped + this.#qr.unread;
    return [
      ...this.#unsearched.slice(0, MOST_NAMED),
      ...(this.#unsearched.length > MOST_NAMED
        ? [`${this.#unsearched.length - MOST_NAMED} further attachments were not searched completely`]
        : []),
      ...(images > 0 ? [`${plural(images, 'image')} could not be searched for QR codes`] : []),
    ];
  }

  #note(name: string, words: string): void {
    this.#unsearched.push(`“${name.slice(0, SHOWN)}” ${words}`);
  }

  async #image(bytes: Buffer, type: string, name: string, sha256: string | null): Promise<void> {
    if (!this.#mayRead()) return;
    this.#codes(await this.#qr.inImage(bytes, type, sha256 ?? hash('sha256', bytes, 'hex')), name);
    if (type === 'image/gif' && bytes.includes('NETSCAPE2.0', 0, 'latin1')) this.#skipped += 1;
  }

  #mayRead(): boolean {
    this.#images += 1;
    if (this.#images > MOST_IMAGES) this.#skipped += 1;
    return this.#images <= MOST_IMAGES;
  }

  #codes(texts: readonly string[], within: string): void {
    for (const text of texts) {
      const urls = WEB_ADDRESS.test(text.trim()) ? [text.trim()] : textUrls(text, 20);
      for (const url of urls)
        this.#link({ url: /^www\./i.test(url) ? `http://${url}` : url, text: '', source: 'qr', within });
    }
  }

  #link(link: PlacedLink): void {
    if (this.links.length < MOST_LINKS) this.links.push(link);
    else if (!this.#unsearched.includes(TOO_MANY)) this.#unsearched.push(TOO_MANY);
  }

  async #pdf(attachment: MailAttachment, bytes: Buffer): Promise<void> {
    const name = attachment.filename;
    if (attachment.encryption !== null) {
      this.#note(name, 'is encrypted: its links and QR codes are unknown');
      return;
    }
    const contents = pdfContents(bytes);
    this.#document(attachment, contents, name);
    for (const image of contents.images) if (this.#mayRead()) this.#codes(await this.#codesOf(image), name);
  }

  #codesOf(image: PdfImage): Promise<readonly string[]> {
    if ('jpeg' in image) return this.#qr.inImage(image.jpeg, 'image/jpeg', hash('sha256', image.jpeg, 'hex'));
    // The same bytes are other pixels in another layout.
    return this.#qr.inPixels(image, `${image.kind} ${hash('sha256', image.packed, 'hex')}`, image.unpack);
  }

  #document(
    attachment: MailAttachment,
    contents: Pick<ReturnType<typeof pdfContents>, 'links' | 'traits' | 'isPartial'> | null,
    within: string,
  ): void {
    if (contents === null) return;
    attachment.traits.push(...contents.traits);
    for (const url of contents.links) this.#link({ url, text: '', source: 'document', within });
    if (contents.isPartial) this.#note(within, 'was searched for links and QR codes in part');
  }
}

const TOO_MANY = `Only the first ${MOST_LINKS} links of attachments are listed`;
