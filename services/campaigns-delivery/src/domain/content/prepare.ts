import { plainTextOf } from './plain-text.ts'
import { sanitise } from './sanitise.ts'
import { checkTokenCount } from './tokens.ts'
import { validateContent, type ContentValidation } from './validate.ts'
import type { StoredContent } from './compile.ts'

/** Content as an author hands it in. */
export interface AuthoredContent {
  subject: string
  html: string
  preheader: string | null
  plainText: string | null
  personalizationDefaults: Readonly<Record<string, string>>
}

/** What may be stored and sent, with what its author is told. */
export interface PreparedContent {
  content: StoredContent
  validation: ContentValidation
}

/** Turns what an author wrote into what may be stored and sent, and says what became of it. Refuses misplaced and too many tokens by Fault. */
export function prepareContent(authored: AuthoredContent): PreparedContent {
  const { html, stripped } = sanitise(authored.html)
  const { subject, preheader } = authored
  checkTokenCount({ subject, html, preheader: preheader ?? '', plain_text: authored.plainText ?? '' })
  const plainTextGenerated = authored.plainText === null || authored.plainText.trim() === ''
  const plainText = plainTextGenerated ? plainTextOf(html) : (authored.plainText ?? '')
  const content = {
    subject,
    preheader,
    sanitizedHtml: html,
    plainText,
    personalizationDefaults: authored.personalizationDefaults,
  }
  return { content, validation: validateContent({ ...content, plainTextGenerated, stripped }) }
}
