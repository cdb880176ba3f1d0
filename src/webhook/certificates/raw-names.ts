/** The names in a certificate as their bytes. Go compares these, and so do API servers; OpenSSL, and so Node, compares what they say. */

/** The start and the end of a DER element's content. */
interface Element {
  readonly content: number;
  readonly end: number;
}

/** @param der of an X.509 certificate that was parsed before */
export function rawNamesOf(der: Buffer): { readonly issuer: Buffer; readonly subject: Buffer } {
  const signed = elementAt(der, elementAt(der, 0).content);
  const fields: Buffer[] = [];
  for (let at = signed.content; at < signed.end && fields.length < 5; ) {
    const { end } = elementAt(der, at);
    // The version, tagged 0, may be absent.
    if (der[at] !== 0xa0) fields.push(der.subarray(at, end));
    at = end;
  }
  // RFC 5280: serial number, algorithm, issuer, validity, subject.
  const [, , issuer = NONE, , subject = NONE] = fields;
  return { issuer, subject };
}

const NONE = Buffer.alloc(0);

function elementAt(der: Buffer, at: number): Element {
  const first = der.readUInt8(at + 1);
  if (first < 0x80) return { content: at + 2, end: at + 2 + first };
  const bytes = first & 0x7f;
  const content = at + 2 + bytes;
  return { content, end: content + der.readUIntBE(at + 2, bytes) };
}
