import PostalMime from 'postal-mime'
import { mapped, type LegacyMapping } from '../mapping.ts'
import type { EmailEntry } from '../manifest.ts'
import type { LegacyExport } from '../read-export.ts'
import { ReconstructionRefusal } from '../refusal.ts'
import { emailFromMautic } from './from-mautic.ts'
import type { EmailTexts, LegacyEmail } from './legacy-email.ts'
import { anyOf, replaceTokens, tokenNamed } from './replace-tokens.ts'

/** Reads one email of an export. The fields of the manifest override those of the file. Throws a ReconstructionRefusal for an unreadable one. */
export async function readEmail(from: LegacyExport, entry: EmailEntry, mapping: LegacyMapping): Promise<LegacyEmail> {
  const bytes = from.files.get(entry.file)!
  const read =
    entry.format === 'mautic.email' ? emailFromMautic(bytes, entry, mapping) : await emailFromFile(from, entry)
  const email = {
    ...read,
    personalizationDefaults: { ...read.personalizationDefaults, ...entry.personalization_defaults },
  }
  const missing = [...(email.subject.trim() === '' ? ['a subject'] : []), ...(email.html.trim() === '' ? ['HTML'] : [])]
  if (missing.length === 0) return email
  throw new ReconstructionRefusal(
    'export',
    `the email ${entry.object_id} (${entry.file}) has no ${missing.join(' and no ')}`,
  )
}

async function emailFromFile(from: LegacyExport, entry: EmailEntry): Promise<LegacyEmail> {
  const bytes = from.files.get(entry.file)!
  const plainText =
    entry.plain_text_file === undefined
      ? undefined
      : utf8(from.files.get(entry.plain_text_file)!, entry.plain_text_file)
  const { notMapped = [], ...texts } =
    entry.format === 'eml'
      ? await textsOfMessage(bytes, entry.file)
      : { subject: '', html: utf8(bytes, entry.file), preheader: undefined, plainText: undefined }
  const tokens = entry.tokens ?? {}
  const given = {
    ...texts,
    subject: entry.subject ?? texts.subject,
    preheader: entry.preheader,
    plainText: plainText ?? texts.plainText,
  }
  const read = replaceTokens(given, anyOf(Object.keys(tokens)), (legacy) => {
    const name = mapped(tokens, legacy)
    return name === undefined ? undefined : tokenNamed(name)
  })
  return { ...read, notMapped: [...read.notMapped, ...notMapped] }
}

/** The texts of an RFC 5322 message. Attachments, embedded images among them, are left out and reported. */
async function textsOfMessage(bytes: Uint8Array, path: string): Promise<EmailTexts & { notMapped?: string[] }> {
  const message = await PostalMime.parse(bytes, { attachmentEncoding: 'arraybuffer' }).catch((error: unknown) => {
    throw new ReconstructionRefusal('export', `${path} cannot be read as an email: ${(error as Error).message}`)
  })
  return {
    subject: message.subject ?? '',
    html: message.html ?? '',
    preheader: undefined,
    plainText: message.text,
    notMapped: message.attachments.map(
      ({ filename, mimeType }) =>
        `the attachment ${printable(filename ?? 'without a name')} (${printable(mimeType)}) is left out`,
    ),
  }
}

/** A text of a header, without characters that cannot be stored or printed. */
const printable = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/\p{Cc}/gu, '')
    .slice(0, 200)

function utf8(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new ReconstructionRefusal('export', `${path} is not UTF-8; export it in UTF-8`)
  }
}
