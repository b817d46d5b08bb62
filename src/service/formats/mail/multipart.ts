import { CR, LF } from './header-block.ts';

/** The bodies between delimiter lines (RFC 2046 section 5.1.1); null when the body contains no delimiter. */
export function splitMultipart(
  body: Buffer,
  boundary: string,
  limit: number,
  isLoose = false,
): { bodies: Buffer[]; closed: boolean; goesOn: boolean } | null {
  const mark = Buffer.from(`--${boundary}`, 'utf8');
  const bodies: Buffer[] = [];
  let start = -1;
  let closed = false;
  let goesOn = false;
  for (let position = 0; ; ) {
    const boundary = body.indexOf(mark, position);
    if (boundary < 0) break;
    position = boundary + mark.length;
    const before = boundary === 0 ? LF : body[boundary - 1];
    if (before !== LF && before !== CR) continue;
    const closing = body[position] === 0x2d && body[position + 1] === 0x2d;
    let rest = closing ? position + 2 : position;
    while (body[rest] === 0x20 || body[rest] === 0x09) rest++;
    // Words after a blank do not make it another boundary; text without one does.
    if (isLoose && rest > (closing ? position + 2 : position))
      while (rest < body.length && body[rest] !== LF && body[rest] !== CR) rest++;
    // More text after the delimiter means another, longer boundary.
    if (rest < body.length && body[rest] !== LF && body[rest] !== CR) continue;
    if (closing && start < 0) {
      if (!closed) return null;
      continue;
    }
    if (start >= 0) {
      let end = boundary;
      if (body[end - 1] === LF) end--;
      if (body[end - 1] === CR) end--;
      bodies.push(body.subarray(start, Math.max(start, end)));
    }
    if (closing) {
      closed = true;
      start = -1;
      continue;
    }
    goesOn ||= closed;
    if (body[rest] === CR && body[rest + 1] === LF) rest++;
    start = Math.min(rest + 1, body.length);
    position = Math.max(position, start);
    if (bodies.length >= limit) return { bodies, closed: false, goesOn };
  }
  if (start < 0) return closed ? { bodies, closed, goesOn } : null;
  bodies.push(body.subarray(start));
  return { bodies, closed, goesOn };
}
