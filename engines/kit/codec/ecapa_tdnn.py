"""ECAPA-TDNN (Desplanques et al. 2020, arXiv 2005.07143): turns a log-mel spectrogram into one embedding of the speaker."""

import torch
from torch import Tensor, nn

from engines.kit.codec.ecapa_tdnn_config import EcapaTdnnConfig
from engines.kit.nn.module_list import module_dict, module_list

__all__ = ["EcapaTdnn"]


class EcapaTdnn(nn.Module):
    """Without batch norm and with reflected edges. Upstream, also for the names of tensors: Qwen3TTSSpeakerEncoder of qwen-tts 0.1.1."""

    def __init__(self, config: EcapaTdnnConfig):
        super().__init__()
        widths, kernels, dilations = config.enc_channels, config.enc_kernel_sizes, config.enc_dilations
        self.config = config
        self.blocks = nn.ModuleList([_Tdnn(config.mel_dim, widths[0], kernels[0], dilations[0])])
        for index in range(1, len(widths) - 1):
            self.blocks.append(_SqueezeRes2Net(config, index))
        self.mfa = _Tdnn(sum(widths[1:-1]), widths[-1], kernels[-1], dilations[-1])
        self.asp = _AttentivePooling(widths[-1], config.enc_attention_channels)
        self.fc = nn.Conv1d(2 * widths[-1], config.enc_dim, 1)

    def forward(self, mel: Tensor) -> Tensor:
        """(B, F, mel_dim) natural log-mel -> (B, enc_dim). All rows of a batch count to their end: there is no padding."""
        features, seen = mel.transpose(1, 2), []
        for block in self.blocks:
            features = block(features)
            seen.append(features)
        pooled = self.asp(self.mfa(torch.cat(seen[1:], dim=1)))
        return self.fc(pooled)[:, :, 0]


class _Tdnn(nn.Module):
    """Convolution that keeps the length, its edges reflected, then ReLU."""

    def __init__(self, width_in: int, width_out: int, kernel: int, dilation: int = 1):
        super().__init__()
        self.conv = nn.Conv1d(width_in, width_out, kernel, dilation=dilation, padding="same", padding_mode="reflect")

    def forward(self, features: Tensor) -> Tensor:
        return self.conv(features).relu_()


class _SqueezeRes2Net(nn.Module):
    def __init__(self, config: EcapaTdnnConfig, index: int):
        super().__init__()
        width = config.enc_channels[index]
        part = width // config.enc_res2net_scale
        kernel, dilation = config.enc_kernel_sizes[index], config.enc_dilations[index]
        self.n_parts = config.enc_res2net_scale
        self.tdnn1 = _Tdnn(config.enc_channels[index - 1], width, 1)
        parts = module_list(_Tdnn(part, part, kernel, dilation) for _ in range(self.n_parts - 1))
        self.res2net_block = module_dict({"blocks": parts})
        self.tdnn2 = _Tdnn(width, width, 1)
        squeeze = {"conv1": nn.Conv1d(width, config.enc_se_channels, 1), "conv2": nn.Conv1d(config.enc_se_channels, width, 1)}
        self.se_block = nn.ModuleDict(squeeze)

    def forward(self, features: Tensor) -> Tensor:
        mixed = self.tdnn2(self._mix_parts(self.tdnn1(features)))
        mean = mixed.mean(dim=2, keepdim=True)
        gates = self.se_block["conv2"](self.se_block["conv1"](mean).relu()).sigmoid()
        return mixed * gates + features

    def _mix_parts(self, features: Tensor) -> Tensor:
        """Each part of the channels, but the first, is convolved together with the result of the part before; the second with nothing."""
        first, *others = features.chunk(self.n_parts, dim=1)
        results = [first]
        for index, (part, block) in enumerate(zip(others, self.res2net_block["blocks"], strict=True)):
            results.append(block(part if index == 0 else part + results[-1]))
        return torch.cat(results, dim=1)


class _AttentivePooling(nn.Module):
    """Mean and deviation over time, first plain as context, then weighted by an attention per channel."""

    LEAST_VARIANCE = 1e-12  # qwen-tts 0.1.1, AttentiveStatisticsPooling.eps

    def __init__(self, width: int, attention_width: int):
        super().__init__()
        self.tdnn = _Tdnn(3 * width, attention_width, 1)
        self.conv = nn.Conv1d(attention_width, width, 1)

    def forward(self, features: Tensor) -> Tensor:
        plain = self._statistics(features, torch.full_like(features[:1, :1], 1 / features.shape[2]))
        context = torch.cat([features, plain.expand(-1, -1, features.shape[2])], dim=1)
        return self._statistics(features, self.conv(self.tdnn(context).tanh()).softmax(dim=2))

    def _statistics(self, features: Tensor, weights: Tensor) -> Tensor:
        """(B, D, F), weights over F -> (B, 2 * D, 1)."""
        mean = (weights * features).sum(dim=2, keepdim=True)
        variance = (weights * (features - mean).square()).sum(dim=2, keepdim=True)
        return torch.cat([mean, variance.clamp(min=self.LEAST_VARIANCE).sqrt()], dim=1)
