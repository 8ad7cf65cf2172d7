/** An email of a legacy system with tokens of Lettergate, as far as they could be mapped. */
export interface LegacyEmail {
  readonly subject: string
  readonly html: string
  readonly preheader: string | undefined
  readonly plainText: string | undefined
  readonly personalizationDefaults: Readonly<Record<string, string>>
  /** legacy token → token */
  readonly tokensMapped: Readonly<Record<string, string>>
  /** tokens and parts that stay as they are, or were left out; each a sentence or a legacy token */
  readonly notMapped: readonly string[]
}

/** The parts of an email as its file has them, before tokens are replaced. */
export type EmailTexts = Pick<LegacyEmail, 'subject' | 'html' | 'preheader' | 'plainText'>
