import { LettergateError } from '@lettergate/client'
import { fieldInWords, fieldsIn } from './field-in-words.ts'

/** The inputs that a refused change names, by the names of the API, each with the problem in words. */
export function refusedFields(error: unknown): Map<string, string> {
  if (!(error instanceof LettergateError) || error.failure.status !== 422) return new Map()
  return new Map(
    error.failure.message
      .split('\n')
      .flatMap((problem) => fieldsIn(problem).map((field) => [field, fieldInWords(problem)] as const)),
  )
}
