import { Fault } from '@lettergate/fault'

const charsMax = 255

/**
 * The name of an uploaded file as it is shown: without folders, control characters and characters that change the direction of
 * text, cut at 255 characters. Throws Fault `invalid_argument` if nothing is left.
 */
export function cleanFilename(given: string): string {
  const base = given.split(/[/\\]/).at(-1)!
  const name = Array.from(base.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu, '').trim())
    .slice(0, charsMax)
    .join('')
  if (name !== '' && name !== '.' && name !== '..') return name
  throw new Fault('invalid_argument', 'file', 'file has no name. Send it as a file with a filename.')
}
