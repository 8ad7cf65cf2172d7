import { z } from 'zod'
import { mapped, type LegacyMapping } from '../mapping.ts'
import { parseJson, type EmailEntry } from '../manifest.ts'
import { tokenOfField } from './token-of-field.ts'
import type { LegacyEmail } from './legacy-email.ts'
import { replaceTokens, tokenNamed, type TokenReplacement } from './replace-tokens.ts'

/** The answer of Mautic's `GET /api/emails/{id}`, as far as it is read. */
const mauticEmail = z.object({
  email: z.object({
    id: z.int(),
    subject: z.string().nullish(),
    preheaderText: z.string().nullish(),
    customHtml: z.string().nullish(),
    plainText: z.string().nullish(),
    template: z.string().nullish(),
    dynamicContent: z.array(z.unknown()).nullish(),
    assetAttachments: z.array(z.unknown()).nullish(),
    translationChildren: z.array(z.unknown()).nullish(),
    variantChildren: z.array(z.unknown()).nullish(),
  }),
})

const lists = {
  assetAttachments: 'its attachments are left out',
  translationChildren: 'its translations are emails of their own',
  variantChildren: 'its variants of an A/B test are emails of their own',
} as const

const token =
  /\{(?:contactfield|leadfield|dynamiccontent|pagelink|assetlink|form|focus)=[^{}]{1,200}\}|\{(?:unsubscribe_url|unsubscribe_text|webview_url|webview_text|tracking_pixel|signature|subject|ownerfield=[^{}]{1,200})\}/g

/** Reads an email of Mautic. The tokens that Lettergate does not have stay in the text and are reported. */
export function emailFromMautic(bytes: Uint8Array, entry: EmailEntry, mapping: LegacyMapping): LegacyEmail {
  const { email } = parseJson(mauticEmail, bytes, entry.file)
  const texts = {
    subject: entry.subject ?? email.subject ?? '',
    html: email.customHtml ?? '',
    preheader: entry.preheader ?? email.preheaderText ?? undefined,
    plainText: email.plainText ?? undefined,
  }
  const read = replaceTokens(texts, token, (legacy) => replacementOf(legacy, mapping))
  const others = Object.entries(lists)
    .filter(([name]) => (email[name as keyof typeof lists] ?? []).length > 0)
    .map(([, sentence]) => sentence)
  return { ...read, notMapped: [...read.notMapped, ...others] }
}

function replacementOf(legacy: string, mapping: LegacyMapping): TokenReplacement | undefined {
  if (legacy === '{unsubscribe_url}') return tokenNamed('unsubscribe_url')
  if (legacy === '{unsubscribe_text}')
    return {
      html: '<a href="{{ unsubscribe_url }}">Unsubscribe</a>',
      text: '{{ unsubscribe_url }}',
      shown: 'unsubscribe_url',
    }
  const [, field, fallback] = /^\{(?:contactfield|leadfield)=([^|{}]+)(?:\|([^{}]*))?\}$/.exec(legacy) ?? []
  if (field === undefined) return undefined
  const name = tokenOfField(mapped(mapping.fields, field) ?? mapped(mauticFields, field))
  if (name === undefined) return undefined
  return fallback === undefined || fallback === 'true'
    ? tokenNamed(name)
    : { ...tokenNamed(name), fallback: { name, value: fallback } }
}

/** Fields of every Mautic with the same meaning in Lettergate. Countries are names there, so they need a decision. */
export const mauticFields: Readonly<Record<string, string>> = {
  email: 'email',
  firstname: 'first_name',
  lastname: 'last_name',
  company: 'company',
  phone: 'phone',
  timezone: 'timezone',
  preferred_locale: 'locale',
}
