/** What an owner types to enable a sender, or the sending of a workspace. */
export const activationPhrase = 'ACTIVATE PRODUCTION SENDING'
