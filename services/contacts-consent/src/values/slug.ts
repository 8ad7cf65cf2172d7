import { parseSlug } from '@lettergate/values/slug'
import { textCharsMax } from '@lettergate/values/text'

/** The short name of an audience or a source. Throws Fault `invalid_argument` with reason `slug`. */
export const requiredSlug = (given: string): string => parseSlug('slug', given, textCharsMax)
