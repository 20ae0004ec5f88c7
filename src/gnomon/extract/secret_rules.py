r"""What a secret looks like: one row per kind of credential.

The shapes follow the rule sets of gitleaks (MIT) and detect-secrets (Apache-2.0). Neither is used as it is: gitleaks is
a Go program, and detect-secrets 1.5 takes each line through some twenty plug-ins at 0.07 MB/s (measured on 1 MB of
Python) and cannot say where in a line a secret stands. Patterns are RE2 over UTF-8 bytes, so time is linear in the text
whatever it holds. Group 1 is the secret; the rest of a match stays.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of credential whose own shape gives it away.

    Attributes:
        name: As shown in the text that replaces it.
        keyword_bytes: Lower-case; a text without any of them cannot match. Empty where the pattern is as fast.
        pattern: RE2.
        least_entropy: Shannon bits per character below which a match is a word or an example, 0 for shapes that no
            word has.
        is_login: The match must be "user:password" in base64.
    """

    name: str
    keyword_bytes: tuple[bytes, ...]
    pattern: str
    least_entropy: float = 0.0
    is_login: bool = False


def compiled(pattern: str) -> Any:
    """A pattern over UTF-8 bytes, in RE2."""
    import re2

    return re2.compile(pattern.encode("latin-1"))  # type: ignore[no-untyped-call]


def _rule(name: str, keywords: str, pattern: str, least_entropy: float = 0.0) -> Rule:
    return Rule(name, tuple(word.encode() for word in keywords.split()), pattern, least_entropy)


_END = r"(?:[^\w-]|$)"

SHAPES: tuple[Rule, ...] = (
    # Clouds.
    _rule("aws-access-key", "akia asia abia acca a3t", r"\b((?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b"),
    _rule(
        "aws-secret-key",
        "secretaccesskey secret_access_key secret-access-key secretkey secret_key aws_secret aws-secret awssecret",
        r"(?i)(?:aws|secret)[\w.-]{0,20}(?:key|secret)[\"']?[ \t]{0,8}(?:=>|[:=]|[ \t])[ \t]{0,8}[\"']?"
        r"([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)",
        3.5,
    ),
    _rule("azure-account-key", "accountkey", r"(?i)AccountKey=([A-Za-z0-9+/]{40,}={0,2})"),
    _rule("azure-shared-access-key", "sharedaccesskey", r"(?i)SharedAccessKey=([A-Za-z0-9+/]{40,}={0,2})"),
    _rule("azure-sas-signature", "?sig= &sig= ;sig=", r"[?&;]sig=([A-Za-z0-9%+/]{40,})", 3.5),
    _rule("azure-client-secret", "q~", r"(?:^|[^\w.~-])([\w.~]{3}[0-9]Q~[\w.~-]{31,34})(?:[^\w.~-]|$)", 3.5),
    _rule("google-api-key", "aiza", r"\b(AIza[\w-]{35})" + _END),
    _rule("google-oauth-token", "ya29. gocspx- 1//0", r"\b(ya29\.[\w-]{20,}|GOCSPX-[\w-]{28}|1//0[\w-]{40,})"),
    _rule("alibaba-access-key", "ltai", r"\b(LTAI[A-Za-z0-9]{17,21})\b"),
    _rule("tencent-secret-id", "akid", r"\b(AKID[A-Za-z0-9]{32})\b"),
    _rule("digitalocean-token", "_v1_", r"\b(do[opr]_v1_[a-f0-9]{64})\b"),
    _rule("heroku-token", "hrku-", r"\b(HRKU-[\w-]{36,})"),
    _rule("fly-token", "fm1 fm2", r"\b(fm[12][ar]?_[A-Za-z0-9+/=_-]{80,})"),
    _rule("planetscale-token", "pscale_", r"\b(pscale_(?:tkn|pw|oauth)_[\w.=-]{32,})"),
    _rule("supabase-token", "sbp_ sb_secret_", r"\b(sbp_[a-f0-9]{40}|sb_secret_[\w-]{20,})"),
    _rule("tailscale-key", "tskey-", r"\b(tskey-[a-z]+-[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*)", 3.0),
    _rule("vercel-or-netlify-token", "nfp_ vcp_", r"\b((?:nfp|vcp)_[A-Za-z0-9]{36,})\b"),
    # Code and packages.
    _rule("github-token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", r"\b(gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{36,})"),
    _rule(
        "gitlab-token",
        "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- glagent- glimt- gloas- gr1348941",
        r"\b(gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|imt|oas)-[\w.-]{20,}|GR1348941[\w-]{20,})",
    ),
    _rule("bitbucket-token", "atbb atatt3 atctt3", r"\b(ATBB[A-Za-z0-9]{24,}|AT(?:A|C)TT3[\w=-]{60,})"),
    _rule("npm-token", "npm_", r"\b(npm_[A-Za-z0-9]{36})\b"),
    _rule("pypi-token", "pypi-age", r"\b(pypi-AgE[\w-]{50,})"),
    _rule("rubygems-key", "rubygems_", r"\b(rubygems_[a-f0-9]{48})\b"),
    _rule("docker-token", "dckr_", r"\b(dckr_(?:pat|oat)_[\w-]{20,})"),
    _rule("artifactory-token", "akcp", r"\b(AKCp[A-Za-z0-9]{60,})\b"),
    _rule("circleci-or-buildkite-token", "ccipat_ ccipjt_ bkua_", r"\b(CCIP(?:AT|JT)_[\w-]{30,}|bkua_[a-f0-9]{40})"),
    _rule("terraform-token", ".atlasv1.", r"\b([A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,})"),
    _rule("vault-token", "hvs. hvb. hvr.", r"\b(hv[sbr]\.[\w-]{24,})", 3.0),
    _rule("pulumi-token", "pul-", r"\b(pul-[a-f0-9]{40})\b"),
    _rule("databricks-token", "dapi", r"\b(dapi[a-f0-9]{32}(?:-\d)?)\b"),
    _rule(
        "doppler-token",
        "dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit.",
        r"\b(dp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9.]{40,})\b",
    ),
    # Payment and mail.
    _rule(
        "stripe-key",
        "k_live_ k_test_ whsec_",
        r"\b([rs]k_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,})",
        3.0,
    ),
    _rule("square-token", "sq0 eaaa", r"\b(sq0(?:atp|csp)-[\w-]{22,}|EAAA[\w-]{60})"),
    _rule("paypal-token", "access_token$", r"\b(access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32})\b"),
    _rule("shopify-token", "shpat_ shpca_ shppa_ shpss_", r"\b(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b"),
    _rule("sendgrid-key", "", r"\b(SG\.[\w-]{16,24}\.[\w-]{36,50})"),
    _rule("mailgun-key", "key-", r"\b(key-[a-f0-9]{32})\b", 3.0),
    _rule("mailchimp-key", "-us", r"\b([a-f0-9]{32}-us\d{1,2})\b", 3.0),
    _rule("twilio-key", "", r"\b(SK[a-f0-9]{32})\b", 3.0),
    # Chat and work.
    _rule(
        "slack-token",
        "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxe. xapp-",
        r"\b(xox[abeoprs]-(?:\d-)?[\w-]{10,}|xapp-\d-[\w-]{20,}|xoxe\.xox[bp]-\d-[\w-]{20,})",
        2.8,
    ),
    _rule(
        "slack-webhook",
        "hooks.slack.com",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{20,})",
        3.0,
    ),
    _rule("teams-webhook", "webhook.office.com", r"webhook\.office\.com/webhookb2/([\w@/-]{60,})"),
    _rule("discord-token", "", r"\b([MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40})" + _END, 4.0),
    _rule("discord-webhook", "api/webhooks/", r"discord(?:app)?\.com/api/webhooks/\d{10,}/([\w-]{50,})"),
    _rule("telegram-token", ":aa", r"\b(\d{8,10}:AA[\w-]{32,33})" + _END),
    _rule("notion-token", "ntn_ secret_", r"\b(ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43})\b"),
    _rule("linear-key", "lin_", r"\b(lin_(?:api|oauth)_[A-Za-z0-9]{32,})\b"),
    _rule("figma-token", "figd_", r"\b(figd_[\w-]{38,})"),
    _rule("airtable-token", "", r"\b(pat[A-Za-z0-9]{14}\.[a-f0-9]{64})\b"),
    _rule("postman-key", "pmak-", r"\b(PMAK-[a-f0-9]{24}-[a-f0-9]{34})\b"),
    # Watching.
    _rule(
        "grafana-token",
        "glsa_ glc_ eyjrijoi",
        r"\b(glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/=]{32,}|eyJrIjoi[\w=-]{60,})",
    ),
    _rule("new-relic-key", "nrak- nrii- nrjs- nral", r"\b(NRAK-[A-Z0-9]{27}|NR(?:II|JS)-[\w-]{19,32})\b"),
    _rule("sentry-token", "sntry", r"\b(sntry[su]_[\w=+/-]{40,})"),
    _rule("dynatrace-token", "dt0c01.", r"\b(dt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64})\b"),
    # Models.
    _rule("anthropic-key", "sk-ant-", r"\b(sk-ant-[\w-]{24,})"),
    _rule("openai-key", "sk-", r"\b(sk-(?:proj|svcacct|admin|None|or-v1)-[\w-]{20,}|sk-[A-Za-z0-9]{32,})", 3.5),
    _rule("huggingface-token", "hf_ api_org_", r"\b((?:hf|api_org)_[A-Za-z0-9]{30,})\b", 3.0),
    _rule(
        "model-host-key",
        "gsk_ r8_ pplx- xai- nvapi- fw_",
        r"\b((?:gsk|r8|fw)_[A-Za-z0-9]{24,}|(?:pplx|xai|nvapi)-[\w-]{32,})",
        3.5,
    ),
    # Others with a shape of their own.
    _rule("age-key", "age-secret-key-", r"\b(AGE-SECRET-KEY-1[A-Z0-9]{58})\b"),
    _rule(
        "1password-token",
        "ops_ey a3-",
        r"\b(ops_eyJ[A-Za-z0-9+/=_-]{100,}|A3-[A-Z0-9]{6}-[A-Z0-9]{6,11}-[A-Z0-9]{5}(?:-[A-Z0-9]{5}){2,})",
    ),
    _rule("json-web-token", "eyj", r"\b(ey[A-Za-z0-9_-]{10,}\.ey[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,})"),
    _rule(
        "json-web-token",
        "eyj",
        r"\b(eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{0,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]{10,}){2})",
    ),
    # A place that only secrets stand in.
    _rule(
        "authorization",
        "authorization",
        r"(?i)authorization[\"']?[ \t]{0,4}[:=,][ \t]{0,4}[\"']?(?:basic|bearer|token|apikey)[ \t]+([\w.~+/=-]{12,})",
        3.1,
    ),
    _rule("bearer-token", "bearer", r"(?i)\bbearer[ \t]+([\w.~+/=-]{24,})", 3.5),
    _rule(
        "password",
        "curl wget",
        r"(?:curl|wget)[^\r\n]{0,300}?[ \t](?:-u|--user|--proxy-user)[ \t=]+[\"']?[\w.@+-]+:([^\s\"'$<{]{4,})",
    ),
    _rule(
        "password",
        "-password -passwd -token -secret -api-key",
        r"(?:--(?:[\w-]{0,20})?(?:password|passwd|token|secret|api-key))[= ][\"']?([^\s\"'$<{\[(-][^\s\"'$<{(]{5,})",
        2.8,
    ),
    Rule("login", (b'auth"',), r"(?i)\"_?auth\"[ \t]*:[ \t]*\"([A-Za-z0-9+/]{8,}={0,2})\"", is_login=True),
    _rule(
        "private-key",
        "ls0tls1crudjti",
        r"(LS0tLS1CRUdJTi(?:BSU0EgUFJJ|BQUklWQVRF|BFQyBQUklW|BPUEVOU1NI|BFTkNSWVBU|BEU0EgUFJJ)[A-Za-z0-9+/=]{20,})",
    ),
    _rule("password", "fernet key", r"(?i)\b(?:\w*key|fernet)[ \t]*[:=(][ \t]*b?[\"']([A-Za-z0-9_-]{43}=)[\"']", 4.0),
    _rule("session", "cookie", r"(?i)\bcookie:[^\r\n]{0,200}?(?:sess(?:ion)?(?:_?id)?|sid|auth)=([\w%.-]{20,})", 3.0),
    _rule("password", "sshpass", r"\bsshpass[ \t]+-p[ \t]*[\"']?([^\s\"'$<{]{4,})"),
    _rule("password", "redis-cli", r"\bredis-cli\b[^\r\n]{0,100}?[ \t](?:-a|--pass)[ \t]+[\"']?([^\s\"'$<{]{4,})"),
    _rule("password", "ldap", r"\bldap\w+\b[^\r\n]{0,200}?[ \t]-w[ \t]+[\"']?([^\s\"'$<{-][^\s\"'$<{]{3,})"),
    _rule("password", "jdbc:oracle", r"(?i)jdbc:oracle:\w+:[\w.-]+/([^\s@\"'$<{/]+)@"),
    _rule("password", "securestring", r"(?i)ConvertTo-SecureString[ \t]+(?:-String[ \t]+)?[\"']([^\"'\s$]{4,})[\"']"),
    _rule("password", "password", r"(?i)\b(?:with|encrypted|set|user)[ \t]+password[ \t=]+'([^'\r\n]{4,})'"),
    _rule("password", "mysql", r"\bmysql\w{0,10}\b[^\r\n]{0,200}?[ \t]-p([^\s'\"`$<-][^\s'\"`$<]{3,})"),
    _rule("password", "identified", r"(?i)identified[ \t]+(?:with[ \t]+\S+[ \t]+)?by[ \t]+['\"]([^'\"\r\n]{4,})['\"]"),
    _rule("password", "://", r"(?i)\b[a-z][a-z0-9+.-]{1,30}://[^\s:/@\"'`<>]{0,100}:([^\s/@\"'`<>]{1,200})@[\w\[.-]"),
    _rule(
        "password",
        "",
        r"(?i);[ \t]*(?:password|pwd)[ \t]*=[ \t]*[\"']?([^;\"'\r\n\s]{3,})[\"']?[ \t]*(?:;|[\"']|$)",
    ),
    _rule(
        "password",
        "?password= &password= ?passwd= &passwd= ?pwd= &pwd= ?pass= &pass=",
        r"(?i)[?&](?:password|passwd|pwd|pass)=([^&\s\"'`<>{}$]{4,})",
    ),
    _rule(
        "password",
        "machine",
        r"(?:^|\n)[ \t]*machine[ \t]+\S+[ \t\r\n]+login[ \t]+\S+[ \t\r\n]+password[ \t]+(\S+)",
    ),
    _rule(
        "npm-token",
        "_authtoken _auth _password",
        r"(?im)(?:^|:)_(?:authToken|auth|password)[ \t]*=[ \t]*[\"']?([\w.~+/=-]{12,})",
        2.5,
    ),
)

# An assignment to a name that ends in one of these holds a secret, if its value looks like one.
LOGIN_ENDINGS = (
    r"pass(?:word|wd|phrase|code)|passwort|kennwort|contrase\xc3\xb1a|mot_de_passe"
    r"|pwd|\bpw|_pw|\bpass|[_-]pass|\bpsk|_psk"
)
KEY_ENDINGS = (
    r"secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|encryption[_-]?key|signing[_-]?key|secret[_-]?key"
    r"|private[_-]?key|account[_-]?key|master[_-]?key|client[_-]?secret|credentials?|webhook[_-]?key|app[_-]?key"
    r"|license[_-]?key|secret[_-]?key[_-]?base|fernet[_-]?key"
)
