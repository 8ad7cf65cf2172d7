import { addresses } from './hostile/addresses.ts'
import { confusedParsers } from './hostile/confused-parsers.ts'
import { css } from './hostile/css.ts'
import { documentsAndForms } from './hostile/documents-and-forms.ts'
import { encodings } from './hostile/encodings.ts'
import { mail } from './hostile/mail.ts'
import { mutations } from './hostile/mutations.ts'
import { outlook } from './hostile/outlook.ts'
import { scriptAndHandlers } from './hostile/script-and-handlers.ts'

/** Attacks on sanitisers by technique. Test corpus. */
export const hostileVectors: Readonly<Record<string, readonly string[]>> = {
  ...scriptAndHandlers,
  ...addresses,
  ...confusedParsers,
  ...mutations,
  ...documentsAndForms,
  ...css,
  ...encodings,
  ...mail,
  ...outlook,
}
