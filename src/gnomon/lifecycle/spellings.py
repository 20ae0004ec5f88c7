"""The words documents use for their life: keys, statuses and turns of phrase, in one table each.

All entries are case-folded. Adding a language is adding entries here; nothing else knows the words.
"""

from __future__ import annotations

from gnomon.values import Status

# Keys of front matter, headers and "Key: value" lines, with "-", "_" and blanks folded to one blank.
KEYS: dict[str, tuple[str, ...]] = {
    "status": (
        *("status", "current status", "doc status", "document status", "adr status", "state", "stage", "lifecycle"),
        *("zustand", "statut", "état", "estado", "estatus", "stato", "stav", "статус", "состояние", "durum", "tila"),
        *("ステータス", "状態", "状态", "狀態", "상태"),
    ),
    "successor": (
        *("superseded by", "superceded by", "superseeded by", "superseded", "superceded", "replaced by", "replacement"),
        *("obsoleted by", "obsolete by", "successor", "successors", "supplanted by", "moved to"),
        *("abgelöst durch", "abgelöst von", "ersetzt durch", "nachfolger", "remplacé par", "remplacée par"),
        *("reemplazado por", "reemplazada por", "sustituido por", "sustituida por", "substituído por"),
        *("sostituito da", "sostituita da", "vervangen door", "zastąpione przez", "заменен на", "заменён на"),
        *("заменено на", "置き換え", "置換先", "後継", "取代者", "替代者", "替代为", "대체"),
    ),
    "predecessor": (
        *("supersedes", "supercedes", "superseeds", "replaces", "obsoletes", "predecessor", "löst ab", "ersetzt"),
        *("vorgänger", "remplace", "reemplaza", "sustituye", "substitui", "sostituisce", "vervangt", "заменяет"),
        *("置き換え元", "取代"),
    ),
    "date": (
        *(
            "date",
            "datum",
            "stand",
            "fecha",
            "data",
            "дата",
            "日付",
            "日期",
            "날짜",
            "tarih",
            "decided",
            "decision date",
        ),
        *(
            "last updated",
            "last update",
            "lastupdated",
            "last modified",
            "lastmod",
            "updated",
            "updated at",
            "modified",
        ),
        *("letzte änderung", "aktualisiert", "published", "created", "created at", "creation date", "start date"),
        *("最終更新", "作成日"),
    ),
    "expires": (
        *("expires", "expires on", "expires at", "expiry", "expiry date", "expirydate", "expiration", "valid until"),
        *("valid to", "gültig bis", "läuft ab", "expire le", "caduca", "有効期限", "有效期至"),
    ),
    "title": ("title", "titel", "titre", "título", "titolo", "タイトル", "标题", "제목"),
}

# Of several dates the first of these that is present is the document's date.
DATE_ORDER = ("date", "last updated", "updated")

# Yes-or-no keys ("archived: true"), which set a status of their own.
FLAGS: dict[str, Status] = {
    "superseded": Status.SUPERSEDED,
    "superceded": Status.SUPERSEDED,
    "obsolete": Status.ARCHIVED,
    "archived": Status.ARCHIVED,
    "deprecated": Status.DEPRECATED,
    "withdrawn": Status.WITHDRAWN,
    "rejected": Status.REJECTED,
    "draft": Status.DRAFT,
}
TRUE = frozenset({"true", "yes", "on", "y", "1", "ja", "oui", "si", "sí"})
FALSE = frozenset({"false", "no", "off", "n", "0", "nein", "non"})

# What a status says. Only superseded and archived hide a document unless the configuration says otherwise.
STATUSES: dict[Status, tuple[str, ...]] = {
    Status.SUPERSEDED: (
        *("superseded", "superceded", "superseeded", "supersedes by", "replaced", "supplanted", "obsoleted"),
        *("moved to", "yerine geçildi", "yerini aldı"),
        *("abgelöst", "abgeloest", "ersetzt", "überholt", "remplacé", "remplacée", "supplanté", "reemplazado"),
        *("reemplazada", "sustituido", "sustituida", "substituído", "substituída", "superado", "superada"),
        *(
            "sostituito",
            "sostituita",
            "vervangen",
            "zastąpione",
            "заменен",
            "заменён",
            "заменено",
            "ersatt",
            "erstattet",
        ),
        *(
            "置き換え済み",
            "置き換え",
            "置換済み",
            "置換",
            "差し替え",
            "已被取代",
            "被取代",
            "已取代",
            "已被替代",
            "已替代",
        ),
        *("被替代", "대체됨", "대체"),
    ),
    Status.ARCHIVED: (
        *("archived", "archive", "archiviert", "archivé", "archivée", "archivado", "archiviato", "gearchiveerd"),
        *("obsolete", "obsolet", "obsolète", "obsoleto", "obsoleta", "retired", "sunset", "decommissioned"),
        *("moved", "removed"),
        *("historical", "historic", "historisch", "defunct", "veraltet", "устарел", "устарело", "архив", "в архиве"),
        *(
            "アーカイブ",
            "廃止済み",
            "廃止",
            "已归档",
            "归档",
            "已废弃",
            "废弃",
            "已廢棄",
            "已作废",
            "作废",
            "폐기됨",
            "폐기",
            "보관됨",
        ),
    ),
    Status.DEPRECATED: (
        *(
            "deprecated",
            "deprecating",
            "discontinued",
            "déprécié",
            "dépréciée",
            "obsolescent",
            "deprecado",
            "deprecada",
            "kullanımdan kaldırıldı",
        ),
        *(
            "missbilligt",
            "deprecato",
            "legacy",
            "sunsetting",
            "非推奨",
            "已弃用",
            "弃用",
            "不推荐",
            "더 이상 사용되지 않음",
        ),
    ),
    Status.REJECTED: (
        *(
            "rejected",
            "declined",
            "denied",
            "refused",
            "not accepted",
            "reddedildi",
            "abgelehnt",
            "verworfen",
            "rejeté",
            "rejetée",
        ),
        *(
            "refusé",
            "rechazado",
            "rechazada",
            "rejeitado",
            "rifiutato",
            "respinto",
            "afgewezen",
            "отклонен",
            "отклонён",
        ),
        *("отклонено", "却下", "不採用", "已拒绝", "拒绝", "거부됨", "거부"),
    ),
    Status.WITHDRAWN: (
        *("withdrawn", "abandoned", "cancelled", "canceled", "dropped", "inactive", "retracted", "reverted", "revoked"),
        *("closed",),  # of a proposal: nobody works on it any more
        *("zurückgezogen", "aufgegeben", "retiré", "abandonné", "retirado", "ritirato", "ingetrokken", "отозван"),
        *("отозвано", "撤回", "取り下げ", "已撤回", "已取消", "철회됨", "철회"),
    ),
    Status.EXPIRED: (
        "expired",
        "lapsed",
        "abgelaufen",
        "expiré",
        "expirada",
        "caducado",
        "scaduto",
        "期限切れ",
        "已过期",
    ),
    Status.DRAFT: (
        *(
            "draft",
            "proposed",
            "proposal",
            "provisional",
            "pending",
            "in review",
            "under review",
            "review",
            "rfc",
            "wip",
        ),
        *("work in progress", "in progress", "on hold", "deferred", "postponed", "stagnant", "idea", "exploratory"),
        *("returned for revision", "awaiting review", "last call", "open", "to be discussed", "under discussion"),
        *("stalled", "demonstrated", "incomplete", "in consideration", "under consideration", "planning", "planned"),
        *("discovery", "previewing", "awaiting implementation", "awaiting", "active review", "experimental"),
        *("protoxep", "önerildi", "önerilen", "inceleniyor"),
        *("entwurf", "vorgeschlagen", "in arbeit", "vorschlag", "brouillon", "proposé", "proposée", "en cours"),
        *("borrador", "propuesto", "propuesta", "rascunho", "proposto", "bozza", "concept", "voorgesteld"),
        *("черновик", "предложен", "предложено", "草案", "提案", "下書き", "検討中", "草稿", "提议", "초안", "제안"),
    ),
    Status.LIVING: (
        *("accepted", "approved", "active", "current", "final", "living", "implemented", "implementable", "done"),
        *("completed", "complete", "decided", "agreed", "adopted", "deployed", "effective", "in effect", "in force"),
        *("released", "recommended", "informational", "stable", "valid", "live", "ratified", "published"),
        # Of the IETF and the XSF: a standard already, however tentative its name.
        *("proposed standard", "draft standard", "internet standard", "best current practice"),
        *("kabul edildi", "onaylandı", "karar verildi"),
        *("ongoing", "in use", "in place", "shipped", "not superseded", "amended", "supplemented", "evergreen"),
        *("akzeptiert", "angenommen", "beschlossen", "gültig", "aktiv", "umgesetzt", "freigegeben", "in kraft"),
        *("accepté", "acceptée", "validé", "adopté", "en vigueur", "aceptado", "aceptada", "aprobado", "vigente"),
        *("aceito", "aprovado", "accettato", "approvato", "geaccepteerd", "принят", "принято", "утверждено"),
        *(
            "採用",
            "承認済み",
            "承認",
            "採択",
            "有効",
            "確定",
            "已接受",
            "已采纳",
            "已批准",
            "有效",
            "승인됨",
            "승인",
            "채택",
        ),
    ),
}

# "superseded by X", "replaced with X", "ersetzt durch X": what stands between the status and its successor.
BY = (
    *(
        "by",
        "with",
        "in favor of",
        "in favour of",
        "through",
        "see",
        "use instead",
        "and replaced by",
        "and replaced with",
    ),
    *("durch", "von", "zugunsten von", "siehe", "par", "en faveur de", "por", "a favor de", "da", "dal", "dalla"),
    *("door", "przez", "на", "av", "により", "によって", "为", "被", "to", "→", "->", "=>", ":", "："),
)

# A statement with one of these keeps its document: what is partly superseded is still partly true.
PARTIAL = (
    *("partly", "partially", "partial", "in part", "in parts", "parts of", "part of", "portions", "some of", "only"),
    *("except", "unless", "where they conflict", "where it conflicts", "teilweise", "zum teil", "teils", "nur"),
    *("partiellement", "en partie", "parcialmente", "en parte", "in parte", "parzialmente", "gedeeltelijk"),
    *("частично", "一部", "部分的", "部分", "일부", "부분"),
)

# ... unless the "only" is about why the text is kept: "(kept for historical reference only)".
KEPT_FOR_HISTORY = ("histor", "reference", "record", "archiv", "context", "history", "nachschlage", "chronik")

# What people write where there is no successor.
NOTHING = frozenset(
    {
        *("", "-", "--", "—", "–", "~", "n/a", "na", "n.a.", "n.a", "none", "null", "nil", "nothing", "no", "false"),
        *(
            "not applicable",
            "not superseded",
            "not yet",
            "tbd",
            "tba",
            "?",
            "[]",
            "[[]]",
            "{}",
            "()",
            '""',
            "''",
            "no one",
        ),
        *("keine", "keiner", "kein", "keines", "nichts", "entfällt", "aucun", "aucune", "néant", "ninguno", "ninguna"),
        *(
            "nenhum",
            "nessuno",
            "geen",
            "нет",
            "なし",
            "無し",
            "无",
            "無",
            "暂无",
            "없음",
            "link",
            "adr",
            "path",
            "url",
            "x",
        ),
    }
)

# Headings that belong to a document's head: a "Key: value" line under them still speaks of the whole document.
HEAD_HEADINGS = frozenset(
    {
        *(
            "status",
            "date",
            "metadata",
            "meta",
            "meta data",
            "meta information",
            "document information",
            "document info",
        ),
        *("document control", "document status", "adr information", "information", "info", "overview", "summary table"),
        *("deciders", "decision makers", "authors", "author", "owner", "header", "details", "record", "properties"),
        *("datum", "metadaten", "dokumentinformation", "dokumentinformationen", "angaben", "statut", "métadonnées"),
        *(
            "estado",
            "metadatos",
            "stato",
            "metadati",
            "状态",
            "状態",
            "ステータス",
            "日付",
            "元数据",
            "メタデータ",
            "メタ情報",
        ),
        *("статус", "дата"),
    }
)

# "This <noun> is superseded by ...": what a document calls itself.
SELF_NOUNS = (
    *(
        "document",
        "doc",
        "adr",
        "rfc",
        "pep",
        "bip",
        "eip",
        "cip",
        "rep",
        "kep",
        "decision",
        "proposal",
        "page",
        "spec",
    ),
    *("specification", "enhancement", "design", "plan", "note", "guide", "guideline", "record", "runbook", "policy"),
    *("article", "standard", "version", "file", "package", "section", "approach", "process", "procedure"),
)
