/** What can send, by its name in the API: in words, and the page that changes it. No import is approved while there is anything. */
export const canSendInWords = {
  workspace_sending: { words: 'Sending is on in this workspace.', page: '/sending' },
  enabled_sender: {
    words: 'A sender is enabled. To end it, delete the sender or change its from address.',
    page: '/sending',
  },
  production_sending_enabled: { words: 'The platform gate for production sending is open.', page: '/platform/gates' },
  test_sends_enabled: { words: 'The platform gate for test sends is open.', page: '/platform/gates' },
  production_ceiling: {
    words:
      'The environment allows production sending, by ALLOW_PRODUCTION_SENDING_ACTIVATION. Only a change of the deployment ends it.',
    page: undefined,
  },
} as const

/** What a refusal to approve an import names in parentheses, in words, in the order of the page. */
export const namedSenders = (message: string) =>
  Object.entries(canSendInWords)
    .filter(([name]) => message.includes(`(${name})`))
    .map(([, inWords]) => inWords)
