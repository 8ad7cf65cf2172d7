import { Fault } from '@lettergate/fault'
import { checkStoredSize, refuseControls } from '../html/limits.ts'
import { sanitise } from '../html/sanitise.ts'
import { checkTokenCount } from '../html/tokens.ts'
import { compileContent, type StoredContent } from './compile.ts'
import { headerLine } from './places.ts'
import { plainTextOf } from './plain-text.ts'
import { recipientVariables, valuesCharsMax } from './render.ts'
import { validateContent, type ContentValidation } from './validate.ts'

/** Content as the author sends it. */
export interface AuthoredContent {
  subject: string
  html: string
  preheader: string | null
  plainText: string | null
  personalizationDefaults: Readonly<Record<string, string>>
}

/** Content that may be stored and sent, with the report for its author. */
export interface PreparedContent {
  content: StoredContent
  validation: ContentValidation
}

/**
 * Converts authored content into content that may be stored and sent, with a report of the changes. Throws a Fault for
 * misplaced or too many tokens, and for defaults that are too large.
 */
export function prepareContent(authored: AuthoredContent): PreparedContent {
  const { personalizationDefaults: defaults, preheader } = authored
  const texts = { subject: authored.subject, preheader: preheader ?? '', plain_text: authored.plainText ?? '' }
  for (const [field, text] of Object.entries(texts)) refuseControls(field, text)
  for (const text of Object.entries(defaults).flat()) refuseControls('personalization_defaults', text)
  const subject = headerLine(authored.subject)
  const { html, stripped, lostInOutlook } = sanitise(authored.html)
  checkTokenCount({ subject, html, preheader: preheader ?? '', plain_text: authored.plainText ?? '' })
  const plainTextGenerated = authored.plainText === null || authored.plainText.trim() === ''
  const plainText = plainTextGenerated ? plainTextOf(html) : (authored.plainText ?? '')
  const content = {
    subject,
    preheader,
    sanitizedHtml: html,
    plainText,
    personalizationDefaults: defaults,
  }
  checkStoredSize('html', plainText.length)
  requireModestDefaults(content)
  return { content, validation: validateContent({ ...content, plainTextGenerated, stripped, lostInOutlook }) }
}

/** Refuses defaults that alone exceed the limit of a message, because no recipient could get it. */
function requireModestDefaults(content: StoredContent): void {
  if (recipientVariables(compileContent(content), {})) return
  throw new Fault(
    'invalid_argument',
    'personalization_defaults',
    `personalization_defaults have more than ${valuesCharsMax} characters over all their uses in the message. Shorten them, or use them in fewer places.`,
  )
}
