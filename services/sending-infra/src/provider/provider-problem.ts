import { Fault } from '@lettergate/fault'

/** The reason why a request to the provider failed. `missing_credential` and `credential_not_allowed` occur before the request. */
export type Obstacle =
  | 'missing_credential'
  | 'credential_not_allowed'
  | 'unreachable'
  | 'credential_refused'
  | 'not_found'
  | 'refused'
  | 'rate_limited'
  | 'failing'
  | 'unreadable'

const sentences: Record<Obstacle, string> = {
  missing_credential:
    'The service holds no credential under the environment key that the connection names. Ask its operators to set one, or name another key.',
  credential_not_allowed:
    'The organization may not use the environment key that the connection names. Name a key of this organization, or ask the operators of the platform for one.',
  unreachable: 'The mail provider could not be reached. Try again later.',
  credential_refused:
    'The mail provider refused the credential that the connection names. Set a valid one, then check the connection.',
  not_found:
    'The mail provider does not know this domain under the connection. Add it there first, or use the connection of the account and region that has it.',
  refused: 'The mail provider refused what was asked for this domain. Look at the domain there, then try again.',
  rate_limited: 'The mail provider asks for fewer requests. Try again in a minute.',
  failing: 'The mail provider answered with an error of its own. Try again later.',
  unreadable: 'The mail provider gave an answer that this service does not understand. Try again later.',
}

/** The result of a connection check as a sentence for a person. It contains no credential and no text of the provider. */
export const explainCheck = (obstacle: Obstacle | null | undefined): string =>
  obstacle == null ? 'The mail provider accepts the credential.' : sentences[obstacle]

/** The Fault for an operation that needs the provider: 422, with the obstacle as its reason. */
export const obstacleFault = (obstacle: Obstacle): Fault =>
  new Fault('failed_precondition', `provider_${obstacle}`, sentences[obstacle])
