/** Every sentence of the public preference page, in the five languages that recipients are spoken to in. */
export interface Words {
  title: string
  heading: string
  /** `{address}` and `{workspace}` are filled in */
  audience: (workspace: string, audience: string) => string
  workspace: (workspace: string) => string
  address: string
  whatStops: string
  button: string
  older: string
  doneTitle: string
  doneHeading: string
  done: (workspace: string) => string
  doneAudience: (workspace: string, audience: string) => string
  mistake: string
}

const en: Words = {
  title: 'Email preferences',
  heading: 'Unsubscribe from these emails?',
  audience: (workspace, audience) => `${workspace} sends you emails for “${audience}”.`,
  workspace: (workspace) => `${workspace} sends you emails.`,
  address: 'Address',
  whatStops: 'After you confirm, these emails stop at once. Nothing changes until you press the button.',
  button: 'Unsubscribe',
  older: 'This link comes from an older email. It still works.',
  doneTitle: 'You are unsubscribed',
  doneHeading: 'You are unsubscribed',
  done: (workspace) => `${workspace} will send no more emails to this address.`,
  doneAudience: (workspace, audience) => `${workspace} will send no more emails for “${audience}” to this address.`,
  mistake: 'If this was a mistake, sign up again where you first did, or write to the sender.',
}

const de: Words = {
  title: 'E-Mail-Einstellungen',
  heading: 'Diese E-Mails abbestellen?',
  audience: (workspace, audience) => `${workspace} schickt Ihnen E-Mails zu „${audience}“.`,
  workspace: (workspace) => `${workspace} schickt Ihnen E-Mails.`,
  address: 'Adresse',
  whatStops:
    'Sobald Sie bestätigen, kommen diese E-Mails nicht mehr. Bis Sie auf die Schaltfläche drücken, ändert sich nichts.',
  button: 'Abbestellen',
  older: 'Dieser Link stammt aus einer älteren E-Mail. Er funktioniert weiterhin.',
  doneTitle: 'Sie sind abgemeldet',
  doneHeading: 'Sie sind abgemeldet',
  done: (workspace) => `${workspace} schickt an diese Adresse keine E-Mails mehr.`,
  doneAudience: (workspace, audience) => `${workspace} schickt an diese Adresse keine E-Mails zu „${audience}“ mehr.`,
  mistake:
    'War das ein Versehen? Melden Sie sich dort wieder an, wo Sie es zuerst getan haben, oder schreiben Sie dem Absender.',
}

const fr: Words = {
  title: 'Préférences d’e-mail',
  heading: 'Vous désabonner de ces e-mails ?',
  audience: (workspace, audience) => `${workspace} vous envoie des e-mails pour « ${audience} ».`,
  workspace: (workspace) => `${workspace} vous envoie des e-mails.`,
  address: 'Adresse',
  whatStops:
    'Dès que vous confirmez, ces e-mails s’arrêtent. Rien ne change tant que vous n’appuyez pas sur le bouton.',
  button: 'Me désabonner',
  older: 'Ce lien vient d’un e-mail plus ancien. Il fonctionne toujours.',
  doneTitle: 'Vous êtes désabonné',
  doneHeading: 'Vous êtes désabonné',
  done: (workspace) => `${workspace} n’enverra plus d’e-mails à cette adresse.`,
  doneAudience: (workspace, audience) => `${workspace} n’enverra plus d’e-mails pour « ${audience} » à cette adresse.`,
  mistake: 'Si c’était une erreur, réinscrivez-vous là où vous l’aviez fait, ou écrivez à l’expéditeur.',
}

const es: Words = {
  title: 'Preferencias de correo',
  heading: '¿Dejar de recibir estos correos?',
  audience: (workspace, audience) => `${workspace} le envía correos de «${audience}».`,
  workspace: (workspace) => `${workspace} le envía correos.`,
  address: 'Dirección',
  whatStops: 'En cuanto confirme, estos correos dejarán de llegar. Nada cambia hasta que pulse el botón.',
  button: 'Cancelar la suscripción',
  older: 'Este enlace procede de un correo antiguo. Sigue funcionando.',
  doneTitle: 'Suscripción cancelada',
  doneHeading: 'Su suscripción está cancelada',
  done: (workspace) => `${workspace} no enviará más correos a esta dirección.`,
  doneAudience: (workspace, audience) => `${workspace} no enviará más correos de «${audience}» a esta dirección.`,
  mistake: 'Si fue un error, suscríbase de nuevo donde lo hizo la primera vez o escriba al remitente.',
}

const sv: Words = {
  title: 'E-postinställningar',
  heading: 'Avsluta prenumerationen på dessa mejl?',
  audience: (workspace, audience) => `${workspace} skickar dig mejl om ”${audience}”.`,
  workspace: (workspace) => `${workspace} skickar dig mejl.`,
  address: 'Adress',
  whatStops: 'När du bekräftar slutar mejlen komma direkt. Inget ändras förrän du trycker på knappen.',
  button: 'Avsluta prenumerationen',
  older: 'Länken kommer från ett äldre mejl. Den fungerar fortfarande.',
  doneTitle: 'Prenumerationen är avslutad',
  doneHeading: 'Prenumerationen är avslutad',
  done: (workspace) => `${workspace} skickar inga fler mejl till den här adressen.`,
  doneAudience: (workspace, audience) => `${workspace} skickar inga fler mejl om ”${audience}” till den här adressen.`,
  mistake: 'Blev det fel? Anmäl dig igen där du gjorde det första gången, eller skriv till avsändaren.',
}

const catalogue = { en, de, fr, es, sv } as const
export type Language = keyof typeof catalogue
export const languages = Object.keys(catalogue) as Language[]

/** The recipient's own locale decides; without one, what their browser asks for; English when neither is spoken here. */
export function languageOf(locale: string | undefined, acceptLanguage: string | undefined): Language {
  const asked = [locale ?? '', ...(acceptLanguage ?? '').split(',')].map(
    (tag) => tag.trim().toLowerCase().split(/[-_;]/, 1)[0],
  )
  return (
    asked.map((tag) => languages.find((language) => language === tag)).find((language) => language !== undefined) ??
    'en'
  )
}

export const wordsIn = (language: Language): Words => catalogue[language]
