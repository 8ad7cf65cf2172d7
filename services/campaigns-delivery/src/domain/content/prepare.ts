import { plainTextOf } from './plain-text.ts'
import { sanitise } from './sanitise.ts'
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

/** Turns what an author wrote into what may be stored and sent, and says what became of it. Refuses misplaced tokens by Fault. */
export function prepareContent(authored: AuthoredContent): PreparedContent {
  const { html, stripped } = sanitise(authored.html)
  const plainTextGenerated = authored.plainText === null || authored.plainText.trim() === ''
  const plainText = plainTextGenerated ? plainTextOf(html) : (authored.plainText ?? '')
  const content = {
    subject: authored.subject,
    preheader: authored.preheader,
    sanitizedHtml: html,
    plainText,
    personalizationDefaults: authored.personalizationDefaults,
  }
  return { content, validation: validateContent({ ...content, plainTextGenerated, stripped }) }
}
